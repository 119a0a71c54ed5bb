internal import Foundation
internal import SessionTokens

/// Checks the claims of a token against the configured issuers, audience, clock leeway and profile.
struct ClaimsPolicy: Sendable {
    let issuers: Set<String>
    let audience: String
    let leeway: TimeInterval
    let profile: TokenProfile

    /// The upper limit for times: JSON allows very large numbers (RFC 7519 §2).
    private static let maximumTime = 0x1p53

    func check(type: String?) throws(VerificationError) {
        guard profile.types.contains(type?.lowercased()) else { throw VerificationError(.wrongType) }
    }

    /// Checks the claims. It compares bytes: `==` also finds canonical equivalents equal (RFC 7515 §10.13).
    func check(_ claims: TokenClaims, now: TimeInterval) throws(VerificationError) {
        guard issuers.contains(where: { $0.utf8.elementsEqual(claims.iss.utf8) }) else {
            throw VerificationError(.wrongIssuer)
        }
        try checkAudience(claims)
        guard !claims.sub.isEmpty else { throw VerificationError(.missingClaim) }
        if profile.isStrict {
            guard claims.clientID ?? "" != "", claims.iat != nil, claims.jti ?? "" != "" else {
                throw VerificationError(.missingClaim)
            }
        }
        for time in [claims.exp, claims.nbf ?? 0, claims.iat ?? 0] where time.magnitude >= Self.maximumTime {
            throw VerificationError(.malformed)
        }
        guard now < claims.exp + leeway else { throw VerificationError(.expired) }
        guard claims.nbf.map({ now + leeway >= $0 }) ?? true else { throw VerificationError(.notYetValid) }
    }

    private func checkAudience(_ claims: TokenClaims) throws(VerificationError) {
        guard let aud = claims.aud else {
            guard !profile.isStrict else { throw VerificationError(.missingClaim) }
            return
        }
        guard aud.contains(where: { $0.utf8.elementsEqual(audience.utf8) }) else {
            throw VerificationError(.wrongAudience)
        }
    }
}

/// The `typ` and the claims that a token must have to be accepted as an access token.
public struct TokenProfile: Sendable, Hashable {
    /// The accepted values of `typ` in lower case. `nil` accepts a token without `typ`.
    fileprivate let types: Set<String?>
    /// Whether all claims that RFC 9068 §2.2 requires must be present.
    fileprivate let isStrict: Bool

    /// RFC 9068: `typ` is `at+jwt`, and `iss`, `exp`, `aud`, `sub`, `client_id`, `iat` and `jti` are present.
    public static let accessToken = TokenProfile(types: ["at+jwt", "application/at+jwt"], isStrict: true)

    /// For services that issue plain JWTs: `typ` may be `JWT` or missing, and only `iss`, `exp` and `sub` are required.
    ///
    /// If `aud` is present, it must contain the audience. Only the key separates these tokens from other tokens of the
    /// service, so that key must not sign other tokens (RFC 8725 §3.12).
    public static let plainJWT = TokenProfile(
        types: ["at+jwt", "application/at+jwt", "jwt", nil], isStrict: false)
}

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
