public import Foundation
public import SessionTokens

/// A builder for DPoP proofs. The initial proof is valid, so that a test changes exactly one thing.
public struct ProofDraft: Sendable {
    public var header: [String: JSONValue]
    public var claims: [String: JSONValue]
    public var signer: SigningKey
    /// The header, if it is not the JSON of `header`.
    public var headerJSON: Data?
    /// The payload, if it is not the JSON of `claims`.
    public var payload: Data?
    /// Turns the signed proof into the values of the request's `DPoP` headers.
    public var send: @Sendable (String) throws -> [String] = { [$0] }

    public init(
        signer: SigningKey = PublishedKeys.device, method: String, url: String, accessToken: String? = nil,
        nonce: String? = nil, id: String = "e1j3V_bKic8-LAEB", issuedAt: Int64
    ) {
        self.signer = signer
        header = [
            "typ": .string(TokenType.dpopProof), "alg": .string(signer.algorithm.rawValue),
            "jwk": .object(signer.publicJWK.requiredMembers.mapValues(JSONValue.string)),
        ]
        claims = ["jti": .string(id), "htm": .string(method), "htu": .string(url), "iat": .int(issuedAt)]
        if let accessToken { claims["ath"] = .string(DPoPProof.accessTokenHash(accessToken)) }
        if let nonce { claims["nonce"] = .string(nonce) }
    }

    /// Signs the draft and returns the values of the `DPoP` headers.
    public func headers() throws -> [String] {
        let input = try JWSText.input(
            header: headerJSON ?? TokenJSON.encode(header), payload: payload ?? TokenJSON.encode(claims))
        return try send(input + "." + Base64URL.encode(signer.signature(for: Data(input.utf8))))
    }

    /// Sets or removes one member of the key in the header.
    public mutating func setKey(_ member: String, _ value: JSONValue?) {
        guard case .object(var key) = header["jwk"] else { return }
        key[member] = value
        header["jwk"] = .object(key)
    }

    /// A copy with one thing changed.
    public func with(_ change: (inout ProofDraft) throws -> Void) rethrows -> ProofDraft {
        var copy = self
        try change(&copy)
        return copy
    }
}
