package import SessionTokens

/// Who is calling: the live session behind an access token.
package struct SignedIn: Sendable {
    package let session: Session
    package let user: User
    package let claims: AccessTokenClaims
    /// The nonce for the next proof, when this client has to use one (RFC 9449 §8.2).
    package var nextNonce: String?
}

/// What a signed-in user may ask about and do to their own sessions.
package struct SignedInCalls: Sendable {
    private let store: any SessionStore
    private let environment: ServiceEnvironment

    package init(store: any SessionStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// Checks an access token, that its session lives, and the proof that came along: a bound token needs one.
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

    /// A token is judged by its own words, whatever the app has set since: a bound one is never a bearer token
    /// (RFC 9449 §7.2), and the scheme of bound ones makes no other token more than it is (§7.1).
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
            if !session.demandsNonce { try await store.demandNonce(session: session.id, app: app.settings.id) }
            throw Refusal.nonceRequired(app.nonces.current(at: now.seconds))
        }
        guard try await store.reserveProof(use, app: app.settings.id, now: now) else { throw Refusal.replayedProof }
    }

    /// The caller's live sessions, last seen first.
    package func sessions(of caller: SignedIn, limit: Int, offset: Int) async throws -> (
        sessions: [Session], total: Int
    ) {
        guard (1...100).contains(limit) else { throw Refusal.invalidPaginationLimit }
        guard offset >= 0 else { throw Refusal.invalidPaginationOffset }
        return try await store.sessions(
            of: caller.user.id, app: caller.user.appID, now: environment.now(), limit: limit, offset: offset)
    }

    /// Ends sessions of the caller; naming one that is not there is `.notFound`.
    package func revoke(_ target: RevokeTarget, by caller: SignedIn) async throws {
        let selection: SessionSelection =
            switch target {
            case .all: .all
            case .others: .allBut(caller.session.id)
            case .mine: .one(caller.session.id)
            case .session(let id): .one(id)
            }
        let ended = try await store.revokeSessions(
            of: caller.user.id, app: caller.user.appID, selection, reason: .revokedByUser, now: environment.now(),
            events: EventFactory(appID: caller.user.appID, environment: environment))
        if case .session = target, ended == 0 { throw Refusal.notFound("there is no such session") }
    }
}

/// Which sessions a user ends.
package enum RevokeTarget: Sendable, Equatable {
    case all
    case others
    case mine
    case session(id: String)
}
