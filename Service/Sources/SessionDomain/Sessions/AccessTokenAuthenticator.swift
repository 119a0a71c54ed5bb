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
package struct AccessTokenAuthenticator: Sendable {
    private let store: any SessionStore
    private let environment: ServiceEnvironment

    package init(store: any SessionStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// Checks an access token, its session, and the proof. A bound token requires a proof.
    ///
    /// - Parameter usesProof: `false`: the proof belongs to a challenge, and is not used up.
    /// - Throws: `Refusal.unauthorized`, and the refusals of a missing, invalid or replayed proof.
    package func authenticate(
        app: AppRuntime, presented: PresentedToken?, proof: CheckedProof?, usesProof: Bool = true
    ) async throws -> SignedIn {
        let now = environment.now()
        guard let presented,
            let claims = try? JWT.verify(
                presented.token, as: AccessTokenClaims.self, type: TokenType.accessToken, keys: app.accessKeys),
            claims.aud == app.settings.id.rawValue, claims.iss == app.issuer, claims.areTimely(at: now)
        else { throw Refusal.unauthorized }
        let problem = bindingProblem(claims.cnf, presented: presented, proof: proof)
        let (session, user): (Session, User)
        // Only a call that can be admitted needs the writer.
        if usesProof, let proof, problem == nil {
            (session, user) = try await admit(app.use(of: proof, now: now), claims, app: app, now: now)
        } else {
            guard let found = try await store.signedIn(session: claims.sid, app: app.settings.id),
                found.session.isLive(at: now), found.session.userID == claims.sub, found.user.status == .active
            else { throw Refusal.unauthorized }
            if let problem { throw problem }
            (session, user) = found
        }
        let usesNonces = proof != nil && (session.demandsNonce || app.settings.sessions.noncePolicy == .always)
        return SignedIn(
            session: session, user: user, claims: claims,
            nextNonce: usesNonces ? app.nonces.current(at: now.seconds) : nil)
    }

    /// Returns why the scheme or the proof does not fit the token. The token decides, not the present settings of the app: a
    /// bound token is never a bearer token (RFC 9449 §7.2), and an unbound token is never valid as a bound one (§7.1).
    private func bindingProblem(
        _ confirmation: Confirmation?, presented: PresentedToken, proof: CheckedProof?
    ) -> Refusal? {
        guard presented.scheme == (confirmation == nil ? .bearer : .dpop) else { return .unauthorized }
        guard let confirmation else { return nil }
        guard let proof else { return .missingProof }
        // §4.3 step 12, both halves.
        guard proof.coversAccessToken else { return .invalidProof(.wrongAccessToken) }
        return proof.thumbprint == confirmation.jkt ? nil : .proofKeyMismatch
    }

    private func admit(
        _ proof: ProofUse, _ claims: AccessTokenClaims, app: AppRuntime, now: Timestamp
    ) async throws -> (Session, User) {
        let outcome = try await store.perform(
            AdmitCaller(
                app: app.settings.id, session: claims.sid, user: claims.sub, proof: proof,
                requiresNonce: app.settings.sessions.noncePolicy == .always, now: now))
        switch outcome {
        case .admitted(let session, let user): return (session, user)
        case .nonceRequired: throw Refusal.nonceRequired(app.nonces.current(at: now.seconds))
        case .refused(let refusal): throw refusal
        }
    }
}

/// An access token as a request presents it.
package struct PresentedToken: Sendable, Equatable {
    /// How the token is presented (RFC 6750 §2.1, RFC 9449 §7.1). The raw value is the scheme in lower case.
    package enum Scheme: String, Sendable {
        case bearer
        case dpop
    }

    package let scheme: Scheme
    package let token: String

    package init(scheme: Scheme, token: String) {
        self.scheme = scheme
        self.token = token
    }
}

/// Admits a request with an access token and a proof: reads the session and its user and remembers the proof, in one
/// transaction (RFC 9449 §11.1). To read first and write later took one change of the thread more.
package struct AdmitCaller: Intent {
    package enum Outcome: Sendable, Equatable {
        case admitted(Session, User)
        /// The client must send a proof with a nonce (RFC 9449 §8).
        case nonceRequired
        case refused(Refusal)
    }

    package let appID: AppID
    /// The session and the user that the access token names.
    package let sessionID: String
    package let userID: String
    package let proof: ProofUse
    /// Whether the app requires a nonce in each proof.
    package let requiresNonce: Bool
    package let now: Timestamp

    package init(
        app: AppID, session: String, user: String, proof: ProofUse, requiresNonce: Bool = false, now: Timestamp
    ) {
        appID = app
        sessionID = session
        userID = user
        self.proof = proof
        self.requiresNonce = requiresNonce
        self.now = now
    }

    package struct Facts: Sendable {
        let session: Session?
        let user: User?
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(app: appID, .session(sessionID), .userOfSession(isShared: true), .failures, as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<Outcome> {
        guard let session = facts.session, let user = facts.user, session.isLive(at: now), session.userID == userID,
            user.status == .active
        else { return Decision(.refused(.unauthorized)) }
        guard session.keyThumbprint == nil || proof.thumbprint == session.keyThumbprint else {
            return Decision(.refused(.proofKeyMismatch))
        }
        guard proof.isFresh, proof.hasNonce || !(session.demandsNonce || requiresNonce) else {
            return Decision(.nonceRequired, demand(of: session))
        }
        if facts.failures.isTaken(.proof(proof.replayKey)) { return Decision(.refused(.replayedProof)) }
        return Decision(.admitted(session, user), [.reserveProof(proof, app: appID, now: now)])
    }

    /// Remembers that the client was given a nonce, and must use one from now on (RFC 9449 §11.3).
    private func demand(of session: Session) -> [Change] {
        guard !session.demandsNonce else { return [] }
        var next = session
        next.demandsNonce = true
        return [.replaceSession(session, with: next)]
    }
}
