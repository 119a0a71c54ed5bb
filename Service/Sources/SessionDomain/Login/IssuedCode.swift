package import SessionTokens

/// A code that was sent, as it is stored: what recognizes it, and what derives it again.
package struct IssuedCode: Sendable, Equatable {
    /// Keyed hash of the code.
    package let hash: String
    /// `nil` for a code that is not sent again.
    package let seed: CodeSeed?
    package let expiresAt: Timestamp

    package init(hash: String, seed: CodeSeed?, expiresAt: Timestamp) {
        self.hash = hash
        self.seed = seed
        self.expiresAt = expiresAt
    }

    /// The code beside a newer one. It is still accepted, and not sent again.
    var superseded: IssuedCode { IssuedCode(hash: hash, seed: nil, expiresAt: expiresAt) }
}

/// What derives a code together with a secret key of the service. Without the key it reveals nothing about the code.
package struct CodeSeed: Sendable, Equatable, Codable {
    /// `Verification.tokenHash` of the verification that the code belongs to.
    package let verification: String
    /// A random number of the code. A verification that starts again under the same key gets another code by it.
    package let number: String
    /// Digits of the code.
    package let size: Int
    /// The id of the master key.
    package let keyID: String

    package init(verification: String, number: String, size: Int, keyID: String) {
        self.verification = verification
        self.number = number
        self.size = size
        self.keyID = keyID
    }
}

extension CodeSeed: JSONWritable, JSONObjectReadable {
    package init(_ object: JSONObject) throws {
        self.init(
            verification: try object.string("verification"), number: try object.string("number"),
            size: Int(try object.integer("size")), keyID: try object.string("keyID"))
    }

    package func write(into json: inout JSONWriter) {
        json.member("keyID", keyID)
        json.member("number", number)
        json.member("size", Int64(size))
        json.member("verification", verification)
    }
}
