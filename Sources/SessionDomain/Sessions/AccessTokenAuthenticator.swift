package import SessionTokens

/// A signed-in caller: the live session behind an access token, and its user.
package struct SignedIn: Sendable {
    package let session: Session
    package let user: User
    package let claims: AccessTokenClaims
    /// The nonce for the next proof, if this client must use one (RFC 9449 §8.2).
    package var nextNonce: String?
}

/// Authenticates requests by their access token.
@available(service, *)
package struct AccessTokenAuthenticator: Sendable {
    private let store: any SessionStore
    private let environment: ServiceEnvironment

    package init(store: any SessionStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// Checks an access token, its session, and the proof. A bound token requires a proof.
    ///
    /// - Throws: `Refusal.unauthorized`, and the refusals of a missing, invalid or replayed proof.
    package func authenticate(
        app: AppRuntime, presented: PresentedToken?, proof: CheckedProof?
    ) async throws -> SignedIn {
        let now = environment.now()
        guard let presented,
            let claims = try? JWT.verify(
                presented.token, as: AccessTokenClaims.self, type: TokenType.accessToken, keys: app.accessKeys),
            claims.aud == app.settings.id.rawValue, claims.iss == app.issuer, claims.areTimely(at: now),
            let (session, user) = try await store.signedIn(session: claims.sid, app: app.settings.id),
            session.isLive(at: now), session.userID == claims.sub, user.status == .active
        else { throw Refusal.unauthorized }
        try checkBinding(claims.cnf, presented: presented, proof: proof)
        if let proof { try await check(proof, of: session, app: app, now: now) }
        let usesNonces = proof != nil && (session.demandsNonce || app.settings.sessions.noncePolicy == .always)
        return SignedIn(
            session: session, user: user, claims: claims,
            nextNonce: usesNonces ? app.nonces.current(at: now.seconds) : nil)
    }

    /// Checks that the scheme and the proof fit the token. The token decides, not the present settings of the app: a bound
    /// token is never a bearer token (RFC 9449 §7.2), and an unbound token is never valid as a bound one (§7.1).
    private func checkBinding(
        _ confirmation: Confirmation?, presented: PresentedToken, proof: CheckedProof?
    ) throws(Refusal) {
        guard presented.scheme == (confirmation == nil ? .bearer : .dpop) else { throw .unauthorized }
        guard let confirmation else { return }
        guard let proof else { throw .missingProof }
        // §4.3 step 12, both halves.
        guard proof.coversAccessToken else { throw .invalidProof(.wrongAccessToken) }
        guard proof.thumbprint == confirmation.jkt else { throw .proofKeyMismatch }
    }

    private func check(_ proof: CheckedProof, of session: Session, app: AppRuntime, now: Timestamp) async throws {
        guard session.keyThumbprint == nil || proof.thumbprint == session.keyThumbprint else {
            throw Refusal.proofKeyMismatch
        }
        let use = app.use(of: proof, now: now)
        let demandsNonce = session.demandsNonce || app.settings.sessions.noncePolicy == .always
        guard use.isFresh, use.hasNonce || !demandsNonce else {
            if !session.demandsNonce { try await store.perform(DemandNonce(session: session.id, app: app.settings.id)) }
            throw Refusal.nonceRequired(app.nonces.current(at: now.seconds))
        }
        guard try await store.perform(ReserveProof(use, app: app.settings.id, now: now)) else {
            throw Refusal.replayedProof
        }
    }
}
