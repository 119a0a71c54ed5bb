internal import Foundation

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
