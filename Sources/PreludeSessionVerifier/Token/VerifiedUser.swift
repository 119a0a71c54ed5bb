public import Foundation
internal import SessionTokens

/// The user of a request, as stated in a verified access token.
///
/// A valid token does not prove that its session still exists. A token of a revoked session stays valid until it expires,
/// after some minutes. ``require(issuedWithin:)`` shortens that time.
public struct VerifiedUser: Sendable, Equatable {
    /// `sub`: the user's id (`usr_…`).
    public let userID: String
    /// `sid`: the session's id (`ses_…`).
    public let sessionID: String?
    /// `jti`: the token's id.
    public let tokenID: String?
    /// `scope`: the scopes of the token (RFC 8693 §4.2).
    public let scopes: Set<String>
    /// `iat`: 30 seconds before the service issued the token, for libraries that accept no difference of clocks; see
    /// ``require(issuedWithin:)``.
    public let issuedAt: Date?
    /// `exp`: when the token expires.
    public let expiresAt: Date
    /// `cnf.jkt`: the thumbprint of the key that the token is bound to (RFC 9449 §6.1); `nil` for a bearer token.
    ///
    /// The verifier has checked a proof of this key.
    public let keyThumbprint: String?
    /// All claims, as JSON.
    let payload: Data
    /// When the token was verified.
    let verifiedAt: Date
    /// How the caller authenticated. Errors use the challenge of the same scheme.
    let schemes: AuthenticationSchemes

    /// Whether the token has a scope.
    public func has(scope: String) -> Bool { scopes.contains(scope) }

    /// Requires a scope that the user cannot get by stepping up.
    ///
    /// - Throws: ``VerificationError`` with status 403 and `insufficient_scope` (RFC 6750 §3.1) if the token lacks it.
    public func require(scope: String) throws(VerificationError) {
        guard has(scope: scope) else { throw VerificationError(.insufficientScope, scope: scope, schemes: schemes) }
    }

    /// Requires a scope that the user can get by stepping up.
    ///
    /// - Throws: ``VerificationError`` with status 401 and `insufficient_user_authentication` (RFC 9470 §3) if the token
    ///   lacks it. The response names the scope, so that the app can start the step-up.
    public func require(stepUp scope: String) throws(VerificationError) {
        guard has(scope: scope) else {
            throw VerificationError(.insufficientUserAuthentication, scope: scope, schemes: schemes)
        }
    }

    /// Requires a recently issued token, for actions that must stop when the session is revoked.
    ///
    /// A revoked session gets no new token. An app that uses `PreludeSession` refreshes its token and repeats the request
    /// automatically.
    ///
    /// - Parameter seconds: The maximum age of the token, counted from 30 seconds after its `iat`. Allow for network delay and
    ///   clock differences: with less than 10 seconds, a new token may be rejected.
    /// - Throws: ``VerificationError`` with status 401 and `invalid_token` (RFC 6750 §3.1) if the token is older, if it has
    ///   no `iat`, or if its `iat` is more than 60 seconds in the future.
    public func require(issuedWithin seconds: TimeInterval) throws(VerificationError) {
        // The age of a token from the future is unknown.
        guard let issuedAt, case let age = verifiedAt.timeIntervalSince(issuedAt), -60 <= age,
            age <= seconds + TimeInterval(IssueTime.backdating)
        else {
            throw VerificationError(.tokenTooOld, schemes: schemes)
        }
    }

    /// Decodes all claims of the token, including the claims that your app maps.
    ///
    /// - Throws: `DecodingError` if the claims do not match the type.
    public func claims<Claims: Decodable>(as type: Claims.Type) throws -> Claims {
        try TokenJSON.decode(type, from: payload)
    }
}

extension VerifiedUser {
    init(_ claims: TokenClaims, payload: Data, schemes: AuthenticationSchemes, at verifiedAt: Date) {
        userID = claims.sub
        sessionID = claims.sid
        tokenID = claims.jti
        scopes = Self.scopes(claims.scope ?? "")
        issuedAt = claims.iat.map(Date.init(timeIntervalSince1970:))
        expiresAt = Date(timeIntervalSince1970: claims.exp)
        keyThumbprint = claims.cnf?.jkt
        self.payload = payload
        self.verifiedAt = verifiedAt
        self.schemes = schemes
    }

    /// The scopes of a `scope` claim (RFC 6749 §3.3). It reads bytes, because characters cost more.
    private static func scopes(_ text: String) -> Set<String> {
        var scopes: Set<String> = []
        for scope in text.utf8.split(separator: UInt8(ascii: " ")) { scopes.insert(String(Substring(scope))) }
        return scopes
    }
}
