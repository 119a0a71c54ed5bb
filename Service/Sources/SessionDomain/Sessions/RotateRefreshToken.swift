/// Spends a refresh token. The hottest write of the service; `docs/stores.md` lists its statements.
///
/// Every outcome commits its changes, rejections included: a fresh proof by the session's key is spent even if the call is
/// rejected. Other proofs are not remembered, so a stranger cannot fill the replay memory.
package struct RotateRefreshToken: Intent {
    package let appID: AppID
    package let sessionID: String
    /// The generation of the presented token, whose MAC is valid.
    package let generation: Int64
    package let proof: ProofUse?
    /// A completed step-up whose grant the new token carries.
    package let redemption: RedeemChallenge?
    package let device: Device
    package let policy: SessionPolicy
    package let now: Timestamp
    package let events: EventFactory
    package let notices: NoticeFactory?

    package init(
        appID: AppID, sessionID: String, generation: Int64, proof: ProofUse?, redemption: RedeemChallenge? = nil,
        device: Device, policy: SessionPolicy, now: Timestamp, events: EventFactory, notices: NoticeFactory? = nil
    ) {
        self.appID = appID
        self.sessionID = sessionID
        self.generation = generation
        self.proof = proof
        self.redemption = redemption
        self.device = device
        self.policy = policy
        self.now = now
        self.events = events
        self.notices = notices
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.session = .id(sessionID)
            $0.user = .ofSession
            $0.grants = now
            $0.challenge = redemption?.reference.id
            $0.shared = [.user]
        }
    }

    package func decide(_ facts: Facts) -> Decision<RotationOutcome> {
        guard let session = facts.session, let user = facts.user else { return Decision(.refused(.unauthorized)) }
        let isReplay = proof.map { facts.isTaken(.proof($0.replayKey)) } ?? false
        var changes: [Change] = []
        // A stale proof is rejected anyway. It is not remembered, so that every memory has an end.
        if let proof, proof.isFresh, !isReplay, isLive(session), proof.thumbprint == session.keyThumbprint {
            changes.append(.reserveProof(proof, app: appID, now: now))
        }
        switch decide(session: session, user: user, isReplay: isReplay) {
        case .rotate(let next): return accept(session, next, user, facts, changes) { .rotated($0, $1, $2) }
        case .recover(let next, let event):
            return accept(session, next, user, facts, changes, also: [.append(event)]) { .recovered($0, $1, $2) }
        case .repeatSuccessor(let next):
            return accept(session, next, user, facts, changes, isRepeat: true) { .repeated($0, $1, $2) }
        case .demandNonce(let next):
            return Decision(.nonceDemanded, changes + [.replaceSession(session, with: next)])
        case .revoke(let next, let events, let reason):
            // A thief may hold what other sessions earned or began. All of it ends.
            changes += [.replaceSession(session, with: next), .deleteStepUps(of: user)]
            let refusal = provesDevice(session) ? user.status.refusal : nil
            return Decision(
                refusal.map { .refused($0) } ?? .revoked(next, reason),
                changes + events.map { .append($0) } + notice(session, user, reason, facts))
        case .refuse(let refusal): return Decision(.refused(refusal), changes)
        }
    }

    /// Tells the user about a reused token. The session ends without the user's doing, and its copy had another holder.
    private func notice(_ session: Session, _ user: User, _ reason: RevocationReason, _ facts: Facts) -> [Change] {
        guard reason == .refreshTokenReused else { return [] }
        return notices?.changes(.sessionEnded(session.device), to: user, facts, at: now) ?? []
    }

    /// The token is accepted: redeems the challenge, stores the session, deletes grants that are spent.
    private func accept(
        _ session: Session, _ next: Session, _ user: User, _ facts: Facts, _ before: [Change],
        also more: [Change] = [], isRepeat: Bool = false, outcome: (Session, User, [Grant]) -> RotationOutcome
    ) -> Decision<RotationOutcome> {
        var (changes, grants) = (before, facts.grants)
        let redeemed = redemption?.decide(
            challenge: facts.challenge, session: next, accessTokenLifetime: policy.accessTokenLifetime,
            isRepeat: isRepeat)
        switch redeemed {
        case .refuse(let refusal): return Decision(.refused(refusal), before)
        case .grant(let grant, let challenge, let redeemed):
            changes += [
                .insertGrant(grant), .replaceChallenge(challenge, with: redeemed),
                .append(events.stepUpGranted(grant)),
            ]
            grants = (grants + [grant]).sorted { $0.id < $1.id }
        case .redeemedBefore, nil: break
        }
        changes.append(.replaceSession(session, with: next))
        changes += more
        changes += grants.filter { $0.isSpent(for: next, at: now) }.map { .deleteGrant($0) }
        let live = grants.filter { $0.covers(next, at: now) }
        return Decision(outcome(next, user, live), changes)
    }
}

/// What a presented refresh token results in. The cases are references, because the way to the response copies them ten times.
package indirect enum RotationOutcome: Sendable, Equatable {
    case rotated(Session, User, [Grant])
    case repeated(Session, User, [Grant])
    /// The stored session was behind the device's token and continues with it.
    case recovered(Session, User, [Grant])
    case nonceDemanded
    case revoked(Session, RevocationReason)
    case refused(Refusal)
}
