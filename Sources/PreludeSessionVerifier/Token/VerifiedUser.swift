public import Foundation
internal import SessionTokens

/// Who sent a request, as the service's signature vouches for it.
///
/// The token was good when it was verified. Whether the session was revoked since it was issued, it cannot say: tokens
/// live for minutes, so that is how long a revoked session can still call. ``require(issuedWithin:)`` makes that shorter.
public struct VerifiedUser: Sendable, Equatable {
    /// `sub`: the user's id, `usr_…`.
    public let userID: String
    /// `sid`: the session's id, `ses_…`.
    public let sessionID: String?
    /// `jti`: the token's own id.
    public let tokenID: String?
    /// The scopes that the token carries (RFC 8693 §4.2).
    public let scopes: Set<String>
    /// `iat`: when the token was issued; see ``require(issuedWithin:)``.
    public let issuedAt: Date?
    /// `exp`: when the token ends.
    public let expiresAt: Date
    /// `cnf.jkt`: the thumbprint of the key that the token is bound to (RFC 9449 §6.1), whose proof was verified.
    public let keyThumbprint: String?
    /// All claims, as JSON.
    let payload: Data
    /// When the token was verified.
    let verifiedAt: Date
    /// How the caller authenticated: refusals answer in the same scheme.
    let schemes: AuthenticationSchemes

    /// Whether the token carries a scope.
    public func has(scope: String) -> Bool { scopes.contains(scope) }

    /// - Throws: ``VerificationError`` with status 403 and `insufficient_scope` (RFC 6750 §3.1) when the token lacks it.
    public func require(scope: String) throws(VerificationError) {
        guard has(scope: scope) else { throw VerificationError(.insufficientScope, scope: scope, schemes: schemes) }
    }

    /// Requires a scope that the user can get by stepping up.
    ///
    /// - Throws: ``VerificationError`` with status 401 and `insufficient_user_authentication` (RFC 9470 §3), which names
    ///   the scope, so that the app knows what to step up for.
    public func require(stepUp scope: String) throws(VerificationError) {
        guard has(scope: scope) else {
            throw VerificationError(.insufficientUserAuthentication, scope: scope, schemes: schemes)
        }
    }

    /// Requires a young token, for what must not happen once a session was revoked: it gets no new one.
    ///
    /// An app that uses `PreludeSession` refreshes and repeats its request by itself.
    ///
    /// - Parameter seconds: The greatest age. Leave room for the way from the service to here, and for clocks that differ:
    ///   less than 10 may refuse a token that was just issued.
    /// - Throws: ``VerificationError`` with status 401 and `invalid_token` (RFC 6750 §3.1) for an older token, or one without
    ///   `iat`.
    public func require(issuedWithin seconds: TimeInterval) throws(VerificationError) {
        // A token from the future is of no known age.
        guard let issuedAt, case let age = verifiedAt.timeIntervalSince(issuedAt), -60 <= age, age <= seconds else {
            throw VerificationError(.tokenTooOld, schemes: schemes)
        }
    }

    /// All claims, those that your app maps included.
    ///
    /// - Throws: `DecodingError` when they do not have this form.
    public func claims<Claims: Decodable>(as type: Claims.Type) throws -> Claims {
        try TokenJSON.decode(type, from: payload)
    }
}

extension VerifiedUser {
    init(_ claims: TokenClaims, payload: Data, schemes: AuthenticationSchemes, at verifiedAt: Date) {
        userID = claims.sub
        sessionID = claims.sid
        tokenID = claims.jti
        scopes = Set(claims.scope?.split(separator: " ").map(String.init) ?? [])
        issuedAt = claims.iat.map(Date.init(timeIntervalSince1970:))
        expiresAt = Date(timeIntervalSince1970: claims.exp)
        keyThumbprint = claims.cnf?.jkt
        self.payload = payload
        self.verifiedAt = verifiedAt
        self.schemes = schemes
    }
}
