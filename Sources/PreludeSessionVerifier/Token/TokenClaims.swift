internal import Foundation
internal import SessionTokens

/// The claims of an access token (RFC 9068 §2.2, RFC 7519 §4.1). Their types are checked, their values are not.
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
    /// The `cnf` claim. If it has no thumbprint, the token is bound in a way that the verifier does not support.
    let cnf: Confirmation?

    /// A claim that is `null` is invalid, not missing: with `"cnf": null`, a reader may see a token without a binding.
    private static let notNull = ["nbf", "sid", "scope", "cnf"]

    init(_ object: JSONObject) throws {
        for name in Self.notNull where object.isNull(name) {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(name) is null."))
        }
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
