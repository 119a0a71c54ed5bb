/// The claims of an access token (RFC 9068 §2.2, with a bare host as issuer).
package struct AccessTokenClaims: Codable, Sendable, Equatable {
    package var iss: String
    package var aud: String
    package var sub: String
    package var sid: String
    package var clientID: String
    package var jti: String
    package var iat: Int64
    package var nbf: Int64
    package var exp: Int64
    /// Space-separated (RFC 8693 §4.2); absent when there is none.
    package var scope: String?

    private enum CodingKeys: String, CodingKey {
        case iss, aud, sub, sid, jti, iat, nbf, exp, scope
        case clientID = "client_id"
    }
}
