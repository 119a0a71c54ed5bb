internal import Foundation
internal import SessionTokens

/// The claims that are looked at (RFC 9068 §2.2, RFC 7519 §4.1), before anybody judged them.
struct TokenClaims: Decodable {
    struct Confirmation: Decodable { let jkt: String? }

    let iss: String
    let sub: String
    let exp: Double
    let nbf: Double?
    let iat: Double?
    let aud: [String]?
    let jti: String?
    let sid: String?
    let clientID: String?
    let scope: String?
    /// Whether there is a `cnf`, and the thumbprint in it. One without a thumbprint binds to something unknown.
    let cnf: Confirmation?

    private enum CodingKeys: String, CodingKey {
        case iss, sub, exp, nbf, iat, aud, jti, sid, scope, cnf
        case clientID = "client_id"
    }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: CodingKeys.self)
        iss = try claims.decode(String.self, forKey: .iss)
        sub = try claims.decode(String.self, forKey: .sub)
        exp = try claims.decode(Double.self, forKey: .exp)
        nbf = try claims.decodeIfPresent(Double.self, forKey: .nbf)
        iat = try claims.decodeIfPresent(Double.self, forKey: .iat)
        jti = try claims.decodeIfPresent(String.self, forKey: .jti)
        sid = try claims.decodeIfPresent(String.self, forKey: .sid)
        clientID = try claims.decodeIfPresent(String.self, forKey: .clientID)
        scope = try claims.decodeIfPresent(String.self, forKey: .scope)
        cnf = try claims.decodeIfPresent(Confirmation.self, forKey: .cnf)
        // One string or several (RFC 7519 §4.1.3).
        if !claims.contains(.aud) {
            aud = nil
        } else if let one = try? claims.decode(String.self, forKey: .aud) {
            aud = [one]
        } else {
            aud = try claims.decode([String].self, forKey: .aud)
        }
    }
}
