public import Foundation
public import SessionRSA
public import SessionTokens

/// A builder for access tokens. The initial token is valid, so that a test changes exactly one thing.
public struct TokenDraft: Sendable {
    public var header: [String: JSONValue]
    public var claims: [String: JSONValue]
    public var signer: any TokenSigner
    /// The header, if it is not the JSON of `header`.
    public var headerJSON: Data?
    /// The payload, if it is not the JSON of `claims`.
    public var payload: Data?
    /// Changes the signed token.
    public var tamper: @Sendable (String) throws -> String = { $0 }

    /// Creates a token with the claims that RFC 9068 §2.2 requires, valid for five minutes.
    public init(signer: any TokenSigner, issuer: String, audience: String, now: Int64) {
        self.init(
            signer: signer,
            claims: [
                "iss": .string(issuer), "aud": .string(audience), "sub": "usr_1", "sid": "ses_1",
                "client_id": .string(audience), "jti": "tok_1", "iat": .int(now), "nbf": .int(now),
                "exp": .int(now + 300), "scope": "read write",
            ])
    }

    public init(signer: any TokenSigner, claims: [String: JSONValue]) {
        self.signer = signer
        self.claims = claims
        header = [
            "typ": .string(TokenType.accessToken), "alg": .string(signer.algorithm.rawValue),
            "kid": .string(signer.keyID),
        ]
    }

    /// A copy that is bound to a key (RFC 9449 §6.1).
    public func bound(to key: SigningKey) -> TokenDraft {
        with { $0.claims["cnf"] = .object(["jkt": .string(key.keyID)]) }
    }

    /// A copy that `key` signs with PS256 (RFC 7518 §3.5).
    public func signedWithPS256(by key: RSASigningKey) -> TokenDraft {
        with {
            $0.header["alg"] = "PS256"
            $0.tamper = { token in
                try JWSText.changing(token) { jws in
                    let input = JWSText.input(header: jws.header, payload: jws.payload)
                    jws.signature = try key.pssSignature(for: Data(input.utf8))
                }
            }
        }
    }

    /// Signs the draft.
    public func compact() throws -> String {
        let input = try JWSText.input(
            header: headerJSON ?? TokenJSON.encode(header), payload: payload ?? TokenJSON.encode(claims))
        return try tamper(input + "." + Base64URL.encode(signer.signature(for: Data(input.utf8))))
    }

    /// A copy with one thing changed.
    public func with(_ change: (inout TokenDraft) throws -> Void) rethrows -> TokenDraft {
        var copy = self
        try change(&copy)
        return copy
    }
}
