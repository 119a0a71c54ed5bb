internal import Crypto
package import Foundation
internal import SessionTokens

/// One master key: 256 random bits and a short public id.
package struct MasterKey: Sendable, Equatable {
    package let id: String
    package let secret: Data
    /// Characters of an id. Sealed data begins with the id.
    package static let idLength = 8

    /// Derives the id from the secret, so that an id always names the same secret.
    package init(secret: Data) {
        precondition(secret.count == 32, "a master key has 256 bits")
        self.secret = secret
        id = String(
            Base64URL.encode(SHA256.hash(data: Data("prelude-session key id".utf8) + secret)).prefix(Self.idLength))
    }

    /// Returns the id of the master key that sealed the data.
    static func id(ofKeyThatSealed data: Data) -> String { String(decoding: data.prefix(idLength), as: UTF8.self) }
}
