internal import Crypto
package import Foundation

/// The claims of a DPoP proof (RFC 9449 §4.2).
package struct DPoPClaims: Encodable, JSONObjectReadable, Sendable {
    package var jti: String
    package var htm: String
    package var htu: String
    /// Seconds since 1970. Some clients send fractions (RFC 7519 §2).
    package var iat: Double
    package var nonce: String?
    package var ath: String?
    /// The id of the rotation that this request begins or repeats: base64url of 16 bytes. A claim of this protocol.
    package var attempt: String?

    private enum CodingKeys: CodingKey { case jti, htm, htu, iat, nonce, ath, attempt }

    package init(
        jti: String, htm: String, htu: String, iat: Int64, nonce: String?, ath: String?, attempt: String? = nil
    ) {
        self.jti = jti
        self.htm = htm
        self.htu = htu
        self.iat = Double(iat)
        self.nonce = nonce
        self.ath = ath
        self.attempt = attempt
    }

    package init(_ object: JSONObject) throws {
        jti = try object.string("jti")
        htm = try object.string("htm")
        htu = try object.string("htu")
        iat = try object.number("iat")
        nonce = try object.stringIfPresent("nonce")
        ath = try object.stringIfPresent("ath")
        attempt = try object.stringIfPresent("attempt")
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(jti, forKey: .jti)
        try container.encode(htm, forKey: .htm)
        try container.encode(htu, forKey: .htu)
        try container.encode(Int64(iat), forKey: .iat)
        try container.encodeIfPresent(nonce, forKey: .nonce)
        try container.encodeIfPresent(ath, forKey: .ath)
        try container.encodeIfPresent(attempt, forKey: .attempt)
    }
}

/// A DPoP proof without its signature. The caller signs it, because the key may be in hardware.
package struct DPoPProof: Sendable {
    /// The ASCII text to sign with ES256.
    package let signingInput: String

    /// Prepares a proof for one request.
    ///
    /// - Parameters:
    ///   - publicKey: The public key of the signing key.
    ///   - method: The request's method, as sent.
    ///   - target: The request's target without query and fragment (RFC 9449 §4.2).
    ///   - accessToken: The access token of the request. The proof holds its hash in `ath`.
    ///   - nonce: The last nonce from the server (RFC 9449 §8).
    ///   - attempt: The id of the rotation that a refresh begins or repeats; `nil` for other requests.
    ///   - id: A new `jti` with at least 96 random bits.
    ///   - issuedAt: Seconds since 1970, by the server's clock if it is known.
    package init(
        publicKey: PublicJWK, method: String, target: TargetURI, accessToken: String? = nil, nonce: String? = nil,
        attempt: String? = nil, id: String, issuedAt: Int64
    ) throws {
        let claims = DPoPClaims(
            jti: id, htm: method, htu: target.absoluteString, iat: issuedAt, nonce: nonce,
            ath: accessToken.map(Self.accessTokenHash), attempt: attempt
        )
        let header = JOSEHeader(alg: .es256, typ: TokenType.dpopProof, jwk: publicKey)
        signingInput = try CompactJWS.signingInput(header: header, payload: TokenJSON.encode(claims))
    }

    /// The value of the `DPoP` header.
    ///
    /// - Parameter signature: The raw 64-byte signature of `signingInput`.
    package func compact(signature: Data) -> String {
        signingInput + "." + Base64URL.encode(signature)
    }

    /// `ath`: base64url of SHA-256 over the ASCII access token (RFC 9449 §4.2).
    package static func accessTokenHash(_ token: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data(token.utf8)))
    }
}
