/// The claims of a DPoP proof (RFC 9449 §4.2).
public struct DPoPClaims: JSONObjectReadable, Sendable {
    public let jti: String
    public let htm: String
    public let htu: String
    /// Seconds since 1970. Some clients send fractions (RFC 7519 §2).
    public let iat: Double
    public let nonce: String?
    public let ath: String?
    /// The id of the rotation that this request begins or repeats: base64url of 16 bytes. A claim of this protocol.
    public let attempt: String?

    public init(_ object: JSONObject) throws {
        jti = try object.string("jti")
        htm = try object.string("htm")
        htu = try object.string("htu")
        iat = try object.number("iat")
        nonce = try object.stringIfPresent("nonce")
        ath = try object.stringIfPresent("ath")
        attempt = try object.stringIfPresent("attempt")
    }
}
