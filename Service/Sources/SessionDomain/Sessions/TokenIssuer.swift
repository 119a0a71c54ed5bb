internal import SessionTokens

/// The tokens of one response.
package struct IssuedTokens: Sendable, Equatable {
    package let accessToken: String
    package let accessTokenExpiresAt: Timestamp
    /// Whether the access token requires a proof.
    package let isBound: Bool
    package let refreshToken: String
    package let refreshTokenExpiresAt: Timestamp
    package let session: Session
    /// The nonce for the next proof, if this client must use one (RFC 9449 §8.2).
    package let nextNonce: String?
    /// The token of the device as a known one, after a login.
    package var knownDevice: String?
    /// Whether the login created the user. `nil` after a refresh.
    package var isNewUser: Bool?
}

/// Issues all tokens of sessions, so that every token meets the same conditions.
struct TokenIssuer: Sendable {
    let keys: KeyRing
    let environment: ServiceEnvironment

    /// - Parameters:
    ///   - grants: The grants of the user. Only those that cover this session are used.
    ///   - client: The client, for the claims that the app maps.
    func issue(
        app: AppRuntime, session: Session, user: User, grants: [Grant], client: ClientFacts, now: Timestamp
    ) throws -> IssuedTokens {
        let claims = try claims(
            app: app, mapping: app.settings.claims, session: session, user: user, grants: grants, client: client,
            now: now)
        let token = RefreshToken(sessionID: session.id, generation: session.generation)
        let usesNonces = session.demandsNonce || app.settings.sessions.noncePolicy == .always
        return IssuedTokens(
            accessToken: try JWT.sign(
                payload: claims.json, type: TokenType.accessToken, key: app.accessKey),
            accessTokenExpiresAt: Timestamp(seconds: claims.exp), isBound: claims.cnf != nil,
            refreshToken: token.encoded(app: app.settings.id, keys: keys), refreshTokenExpiresAt: session.expiresAt,
            session: session, nextNonce: usesNonces ? app.nonces.current(at: now.seconds) : nil)
    }

    /// What the next access token contains.
    ///
    /// - Parameter mapping: The claims that the app maps, or those that it may get.
    func claims(
        app: AppRuntime, mapping: ClaimsConfig?, session: Session, user: User, grants: [Grant], client: ClientFacts,
        now: Timestamp
    ) throws -> AccessTokenClaims {
        try user.requireActive()
        let policy = app.settings.sessions
        // An app that requires bound tokens gets no unbound token (RFC 9449 §5.2).
        guard policy.admits(keyThumbprint: session.keyThumbprint) else { throw Refusal.missingProof }
        let access = EffectiveScopes(app: app.settings, session: session, grants: grants, now: now)
        // A token ends with the first of its grants.
        let expiresAt = ([now + policy.accessTokenLifetime, session.expiresAt] + access.ends).min() ?? now
        let begin = now.seconds - IssueTime.backdating
        var claims = AccessTokenClaims(
            iss: app.issuer, aud: app.settings.id.rawValue, sub: user.id, sid: session.id,
            clientID: app.settings.id.rawValue,
            jti: Base64URL.encode(environment.randomBytes(16)), iat: begin, nbf: begin,
            exp: expiresAt.seconds, scope: access.scopes.isEmpty ? nil : access.scopes.joined(separator: " "))
        if policy.accessTokenBinding == .dpop { claims.cnf = session.keyThumbprint.map(Confirmation.init) }
        // Only browsers that make no proofs have sessions without a key.
        claims.repeatsMapped = session.keyThumbprint == nil
        claims.mapped =
            mapping?.resolve(user: user, client: client, at: now, copies: claims.repeatsMapped ? 2 : 1) ?? [:]
        return claims
    }
}
