/// The claims of a DPoP proof (RFC 9449 §4.2).
package struct DPoPClaims: JSONObjectReadable, Sendable {
    package let jti: String
    package let htm: String
    package let htu: String
    /// Seconds since 1970. Some clients send fractions (RFC 7519 §2).
    package let iat: Double
    package let nonce: String?
    package let ath: String?
    /// The id of the rotation that this request begins or repeats: base64url of 16 bytes. A claim of this protocol.
    package let attempt: String?

    package init(_ object: JSONObject) throws {
        jti = try object.string("jti")
        htm = try object.string("htm")
        htu = try object.string("htu")
        iat = try object.number("iat")
        nonce = try object.stringIfPresent("nonce")
        ath = try object.stringIfPresent("ath")
        attempt = try object.stringIfPresent("attempt")
    }
}
