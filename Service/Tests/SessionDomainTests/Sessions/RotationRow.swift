internal import SessionDomain
internal import SessionTokens
internal import Testing

/// The kind of a decision, without its rows.
enum RotationVerdict: Equatable {
    case rotate, recover, again, nonce
    case revoke(RevocationReason)
    /// Revoked as reuse, with the reason in the event.
    case reuse(RefreshTokenReuse)
    case refuse(Refusal)

    init(_ decision: RotationDecision) {
        switch decision {
        case .rotate: self = .rotate
        case .recover: self = .recover
        case .repeatSuccessor: self = .again
        case .demandNonce: self = .nonce
        case .revoke(_, let events, let reason):
            let text = events.first { $0.name == .refreshTokenReused }?.data["reason"]?.stringValue
            self = text.flatMap(RefreshTokenReuse.init).map(Self.reuse) ?? .revoke(reason)
        case .refuse(let refusal): self = .refuse(refusal)
        }
    }

    /// A late or repeated request of the same device.
    static let spent = RotationVerdict.refuse(.refreshTokenSpent)
    static let unauthorized = RotationVerdict.refuse(.unauthorized)
}

/// One valid rotation of a session at generation 5, and what a row changes of it.
///
/// The last rotation was a second ago, by the attempt `last`. The eight before it were `before-1` to `before-8`.
struct RotationRow: Sendable, CustomTestStringConvertible {
    var name: String
    var generation: Int64 = 5
    var pinned: String? = "key"
    var proofKey: String? = "key"
    var replayKey = "fresh"
    var isFresh = true
    var hasNonce = false
    /// The window of the nonce, if there is one.
    var window = ProofUse.NonceWindow.current
    /// How many seconds before the last rotation the current window began.
    var windowBegan = 100
    /// The generation when the window of the last rotation began.
    var settled: Int64 = 0
    var isReplay = false
    var demandsNonce = false
    var noncePolicy = SessionPolicy.NoncePolicy.whenNeeded
    var boundGrace: Int?
    var attempt: String?
    /// The attempt of the last rotation.
    var lastAttempt: String? = "last"
    /// When the proof was made, in seconds since the last rotation.
    var made = 0
    var binding = SessionPolicy.AccessTokenBinding.bearer
    var sinceRotation = 1
    /// Seconds. Negative: the clock was set back since.
    var sinceLastSeen = 1000
    var status = User.Status.active
    var isRevoked = false
    var isExpired = false
    let verdict: RotationVerdict

    init(_ name: String, _ verdict: RotationVerdict, _ change: (inout RotationRow) -> Void = { _ in }) {
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
            lastProof: "last",
            attempts: RotationAttempts(last: lastAttempt, earlier: (1...8).map { "before-\($0)" }),
            demandsNonce: demandsNonce, device: Device(), createdAt: now - 1000, lastSeenAt: now - sinceLastSeen,
            rotatedAt: now - sinceRotation, settledGeneration: settled, idleExpiresAt: isExpired ? now : now + 1,
            absoluteExpiresAt: now + 1000,
            revokedAt: isRevoked ? now - 1 : nil)
        let user = User(id: "usr_1", appID: app, status: status, identifiers: [], createdAt: now)
        let proof = proofKey.map {
            ProofUse(
                thumbprint: $0, replayKey: replayKey, rememberUntil: now + 60, nonce: hasNonce ? window : nil,
                windowStart: now - sinceRotation - windowBegan, isFresh: isFresh, issuedAt: now - sinceRotation + made,
                attempt: attempt)
        }
        return RotateRefreshToken(
            appID: app, sessionID: "ses_1", generation: generation, proof: proof, device: Device(model: "new"),
            policy: policy, now: now, events: EventFactory(appID: app, environment: stillEnvironment)
        ).decide(session: session, user: user, isReplay: isReplay)
    }
}
