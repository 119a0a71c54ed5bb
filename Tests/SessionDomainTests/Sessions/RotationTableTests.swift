internal import SessionDomain
internal import SessionTokens
internal import Testing

/// The kind of a decision, without its rows.
private enum Verdict: Equatable {
    case rotate, again, nonce
    case revoke(RevocationReason)
    case refuse(Refusal)

    init(_ decision: RotationDecision) {
        switch decision {
        case .rotate: self = .rotate
        case .repeatSuccessor: self = .again
        case .demandNonce: self = .nonce
        case .revoke(_, _, let reason): self = .revoke(reason)
        case .refuse(let refusal): self = .refuse(refusal)
        }
    }

    static let reuse = Verdict.revoke(.refreshTokenReused)
    static let unauthorized = Verdict.refuse(.unauthorized)
}

/// One valid rotation of a session at generation 5, and what a row changes of it.
private struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var generation: Int64 = 5
    var pinned: String? = "key"
    var proofKey: String? = "key"
    var replayKey = "fresh"
    var isFresh = true
    var hasNonce = false
    var isReplay = false
    var demandsNonce = false
    var noncePolicy = SessionPolicy.NoncePolicy.whenNeeded
    var boundGrace: Int?
    var binding = SessionPolicy.AccessTokenBinding.bearer
    var sinceRotation = 1
    var status = User.Status.active
    var isRevoked = false
    var isExpired = false
    let verdict: Verdict

    init(_ name: String, _ verdict: Verdict, _ change: (inout Row) -> Void = { _ in }) {
        self.name = name
        self.verdict = verdict
        change(&self)
    }

    var testDescription: String { name }

    func decide(app: AppID, sessionApp: AppID? = nil) -> RotationDecision {
        var policy = SessionPolicy()
        policy.noncePolicy = noncePolicy
        policy.boundGrace = boundGrace
        policy.accessTokenBinding = binding
        let session = Session(
            id: "ses_1", appID: sessionApp ?? app, userID: "usr_1", generation: 5, keyThumbprint: pinned,
            lastProof: "last", demandsNonce: demandsNonce, device: Device(), createdAt: now - 1000,
            rotatedAt: now - sinceRotation, idleExpiresAt: isExpired ? now : now + 1, absoluteExpiresAt: now + 1000,
            revokedAt: isRevoked ? now - 1 : nil)
        let user = User(id: "usr_1", appID: app, status: status, identifiers: [], createdAt: now)
        let proof = proofKey.map {
            ProofUse(
                thumbprint: $0, replayKey: replayKey, rememberUntil: now + 60, hasNonce: hasNonce, isFresh: isFresh)
        }
        return RotateRefreshToken(
            appID: app, sessionID: "ses_1", generation: generation, proof: proof, device: Device(model: "new"),
            policy: policy, now: now, events: EventFactory(appID: app, environment: stillEnvironment)
        ).decide(session: session, user: user, isReplay: isReplay)
    }
}

@Suite("Decision on a refresh token, as a table")
struct RotationTableTests {
    private static let rows: [Row] = [
        Row("the current token rotates", .rotate),
        Row("the previous token gets its successor again", .again) { $0.generation = 4 },
        Row("an older one is reuse", .reuse) { $0.generation = 3 },
        Row("a future one was never issued", .unauthorized) { $0.generation = 6 },
        Row("a revoked session is rejected", .unauthorized) { $0.isRevoked = true },
        Row("an expired session is rejected", .unauthorized) { $0.isExpired = true },
        Row("an old token cannot revoke an expired session", .unauthorized) {
            $0.generation = 1
            $0.isExpired = true
        },
        Row("an inactive user loses the session", .revoke(.userInactive)) { $0.status = .inactive },
        Row("a suspended user loses the session", .revoke(.userInactive)) { $0.status = .suspended },

        Row("without its key the current token is rejected", .refuse(.missingProof)) { $0.proofKey = nil },
        Row("without its key the previous token is reuse", .reuse) {
            $0.proofKey = nil
            $0.generation = 4
        },
        Row("with another key the current token is rejected", .refuse(.proofKeyMismatch)) { $0.proofKey = "other" },
        Row("with another key the previous token is reuse", .reuse) {
            $0.proofKey = "other"
            $0.generation = 4
        },
        Row("a replayed proof with the current token is rejected", .refuse(.replayedProof)) { $0.isReplay = true },
        Row("a replayed proof with the previous token is reuse", .reuse) {
            $0.isReplay = true
            $0.generation = 4
        },
        Row("the proof of the last rotation is a replay even if its memory expired", .refuse(.replayedProof)) {
            $0.replayKey = "last"
        },
        Row("the proof of the last rotation with the previous token is reuse", .reuse) {
            $0.replayKey = "last"
            $0.generation = 4
        },

        Row("a stale proof demands a nonce", .nonce) { $0.isFresh = false },
        Row("a stale proof with the previous token demands a nonce", .nonce) {
            $0.isFresh = false
            $0.generation = 4
        },
        Row("a session that was given a nonce requires one", .nonce) { $0.demandsNonce = true },
        Row("a session that was given a nonce rotates with one", .rotate) {
            $0.demandsNonce = true
            $0.hasNonce = true
        },
        Row("an app may always require a nonce", .nonce) { $0.noncePolicy = .always },
        Row("an app that requires a nonce rotates with one", .rotate) {
            $0.noncePolicy = .always
            $0.hasNonce = true
        },
        Row("another key is rejected before a nonce is demanded", .refuse(.proofKeyMismatch)) {
            $0.isFresh = false
            $0.proofKey = "other"
        },

        Row("without a limit the previous token is valid while its successor is unused", .again) {
            $0.generation = 4
            $0.sinceRotation = 999
        },
        Row("within the grace time of the app the previous token is valid", .again) {
            $0.generation = 4
            $0.boundGrace = 60
            $0.sinceRotation = 59
        },
        Row("at the end of the grace time it is reuse", .reuse) {
            $0.generation = 4
            $0.boundGrace = 60
            $0.sinceRotation = 60
        },
        Row("without a pinned key the current token rotates", .rotate) {
            $0.pinned = nil
            $0.proofKey = nil
        },
        Row("without a pinned key the previous token is valid for less than ten seconds", .again) {
            $0.pinned = nil
            $0.proofKey = nil
            $0.generation = 4
            $0.sinceRotation = 9
        },
        Row("without a pinned key the previous token is reuse after ten seconds", .reuse) {
            $0.pinned = nil
            $0.proofKey = nil
            $0.generation = 4
            $0.sinceRotation = 10
        },

        Row("an app that binds access tokens rejects a session without a key (D22)", .refuse(.missingProof)) {
            $0.binding = .dpop
            $0.pinned = nil
            $0.proofKey = nil
        },
        Row("a later proof does not bind such a session (D22)", .refuse(.missingProof)) {
            $0.binding = .dpop
            $0.pinned = nil
        },
        Row("a lost answer is not repeated for such a session (D22)", .refuse(.missingProof)) {
            $0.binding = .dpop
            $0.pinned = nil
            $0.proofKey = nil
            $0.generation = 4
        },
        Row("reuse in such a session is reuse (D22)", .reuse) {
            $0.binding = .dpop
            $0.pinned = nil
            $0.proofKey = nil
            $0.generation = 3
        },
        Row("an app that binds access tokens rotates a session with its key", .rotate) { $0.binding = .dpop },
    ]

    @Test("A presented refresh token gets the decision of its row", arguments: rows)
    private func decision(row: Row) throws {
        #expect(Verdict(row.decide(app: try appID())) == row.verdict)
    }

    @Test("A session of another app is rejected")
    func otherApp() throws {
        let row = Row("", .unauthorized)
        #expect(row.decide(app: try appID(), sessionApp: try appID("domain2")) == .refuse(.unauthorized))
    }

    @Test("A rotation raises the generation by one and keeps key, scopes and absolute end")
    func rotated() throws {
        guard case .rotate(let next) = Row("", .rotate).decide(app: try appID()) else {
            Issue.record("not rotated")
            return
        }
        #expect(next.generation == 6)
        #expect(next.lastProof == "fresh")
        #expect(next.rotatedAt == now)
        #expect(next.lastSeenAt == now)
        #expect(next.idleExpiresAt == now + SessionPolicy().idleLifetime)
        #expect(next.absoluteExpiresAt == now + 1000)
        #expect(next.keyThumbprint == "key")
        #expect(next.device.model == "new")
    }

    @Test("A repeat keeps generation, proof and time of the rotation, so that the grace time ends")
    func repeated() throws {
        let row = Row("", .again) {
            $0.generation = 4
            $0.sinceRotation = 7
        }
        guard case .repeatSuccessor(let next) = row.decide(app: try appID()) else {
            Issue.record("not repeated")
            return
        }
        #expect(next.generation == 5)
        #expect(next.lastProof == "last")
        #expect(next.rotatedAt == now - 7)
        #expect(next.lastSeenAt == now)
    }

    @Test("Reuse has events for the reuse and for the end of the session")
    func reuseEvents() throws {
        let row = Row("", .reuse) { $0.generation = 3 }
        guard case .revoke(let next, let events, _) = row.decide(app: try appID()) else {
            Issue.record("not revoked")
            return
        }
        #expect(next.revokedAt == now)
        #expect(events.map(\.name) == [.refreshTokenReused, .sessionRevoked])
        #expect(events.last?.data["reason"] == .string("refresh_token_reused"))
        #expect(events.allSatisfy { $0.data["session_id"] == .string("ses_1") })
    }
}
