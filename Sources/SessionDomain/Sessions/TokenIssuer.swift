internal import SessionTokens

/// The tokens of one answer.
package struct IssuedTokens: Sendable, Equatable {
    package let accessToken: String
    package let accessTokenExpiresAt: Timestamp
    package let refreshToken: String
    package let refreshTokenExpiresAt: Timestamp
    package let session: Session
    /// The nonce for the next proof, when this client has to use one (RFC 9449 §8.2).
    package let nextNonce: String?
}

/// The one place where tokens are made, so that what must hold for a session holds for every token.
struct TokenIssuer: Sendable {
    let keys: KeyRing
    let environment: ServiceEnvironment

    func issue(app: AppRuntime, session: Session, user: User, now: Timestamp) throws -> IssuedTokens {
        try user.requireActive()
        let expiresAt = min(now + app.app.sessions.accessTokenLifetime, session.expiresAt)
        let claims = AccessTokenClaims(
            iss: app.issuer, aud: app.app.id.rawValue, sub: user.id, sid: session.id, clientID: app.app.id.rawValue,
            jti: Base64URL.encode(environment.randomBytes(16)), iat: now.seconds, nbf: now.seconds,
            exp: expiresAt.seconds, scope: session.scopes.isEmpty ? nil : session.scopes.joined(separator: " "))
        let token = RefreshToken(sessionID: session.id, generation: session.generation)
        let usesNonces = session.demandsNonce || app.app.sessions.noncePolicy == .always
        return IssuedTokens(
            accessToken: try JWT.sign(claims, type: TokenType.accessToken, key: app.accessKey),
            accessTokenExpiresAt: Timestamp(seconds: expiresAt.seconds),
            refreshToken: token.encoded(app: app.app.id, keys: keys), refreshTokenExpiresAt: session.expiresAt,
            session: session, nextNonce: usesNonces ? app.nonces.current(at: now.seconds) : nil)
    }
}
