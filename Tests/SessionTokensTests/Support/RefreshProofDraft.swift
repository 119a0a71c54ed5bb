import Foundation
import SessionTokens

/// A builder for proofs of a refresh request. The initial proof is valid, so that a test changes exactly one thing.
struct RefreshProofDraft {
    static let method = "POST"
    static let url = "https://app.example/v1/session/refresh"

    var header: [String: JSONValue]
    var claims: [String: JSONValue]
    var signer: SigningKey

    init(signer: SigningKey = RFCKey.rfc7515A3) {
        self.signer = signer
        header = [
            "typ": "dpop+jwt",
            "alg": .string(signer.algorithm.rawValue),
            "jwk": .object(signer.publicJWK.requiredMembers.mapValues(JSONValue.string)),
        ]
        claims = [
            "jti": "e1j3V_bKic8-LAEB",
            "htm": .string(Self.method),
            "htu": .string(Self.url),
            "iat": .int(1_562_262_618),
        ]
    }

    /// Signs the draft.
    func compact() throws -> String {
        try Self.compact(header: TokenJSON.encode(header), payload: TokenJSON.encode(claims), signer: signer)
    }

    /// Signs bytes that need not be JSON.
    static func compact(header: Data, payload: Data, signer: SigningKey = RFCKey.rfc7515A3) throws -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        return try input + "." + Base64URL.encode(signer.signature(for: Data(input.utf8)))
    }

    /// Checks the draft at a server with one origin.
    func check(accessToken: String? = nil) throws -> CheckedProof {
        try Self.check(compact(), accessToken: accessToken)
    }

    static func check(_ proofs: String..., accessToken: String? = nil) throws -> CheckedProof {
        let targets = [TargetURI(url)].compactMap { $0 }
        return try DPoPProofChecker(method: method, targets: targets, accessToken: accessToken).check(headers: proofs)
    }

    /// A copy with one thing changed.
    func with(_ change: (inout RefreshProofDraft) -> Void) -> RefreshProofDraft {
        var copy = self
        change(&copy)
        return copy
    }
}
