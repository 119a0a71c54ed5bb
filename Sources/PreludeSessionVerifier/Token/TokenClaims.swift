internal import Foundation
internal import SessionTokens

/// The claims that are looked at (RFC 9068 §2.2, RFC 7519 §4.1), before anybody judged them.
struct TokenClaims: JSONObjectReadable {
    struct Confirmation { let jkt: String? }

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

    init(_ object: JSONObject) throws {
        iss = try object.string("iss")
        sub = try object.string("sub")
        exp = try object.number("exp")
        nbf = try object.numberIfPresent("nbf")
        iat = try object.numberIfPresent("iat")
        aud = try object.stringsIfPresent("aud")
        jti = try object.stringIfPresent("jti")
        sid = try object.stringIfPresent("sid")
        clientID = try object.stringIfPresent("client_id")
        scope = try object.stringIfPresent("scope")
        cnf = try object.objectIfPresent("cnf").map { Confirmation(jkt: try $0.stringIfPresent("jkt")) }
    }
}
