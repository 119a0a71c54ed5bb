import SessionDomain

/// The service with its real decision, `RotateRefreshToken.decide`. Rows are numbers, and each call is decided once.
final class PlayedService {
    /// One refresh as the service sees it.
    struct Call: Hashable {
        var row: RowID
        var generation: UInt8
        var attempt: Attempt
        var hasNonce: Bool
        var isOld = false
        var isBeforeRotation = false
        var isSeen = false
    }

    struct Reply {
        var row: RowID
        var answer: Answer
        /// Whether replay memory has the proof from now on.
        var remembersProof: Bool
        var rotates: Bool
    }

    /// What distinguishes two rows of the session.
    private struct RowKey: Hashable {
        let generation: Int64
        let last: String?
        let earlier: [String]
        let rotatedAt: Int64
        let demandsNonce: Bool
        let isRevoked: Bool

        init(_ session: Session) {
            generation = session.generation
            last = session.attempts.last
            earlier = session.attempts.earlier
            rotatedAt = session.rotatedAt.milliseconds
            demandsNonce = session.demandsNonce
            isRevoked = session.revokedAt != nil
        }
    }

    /// The time of every call. What happened earlier is moved into the past instead.
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let longAgo = now - 1000

    private let broken: BrokenRule?
    private let app: AppID
    private let user: User
    private let events: EventFactory
    private var rows: [Session] = []
    private var numbers: [RowKey: RowID] = [:]
    private var replies: [Call: Reply] = [:]
    private var hashes: [Attempt: String] = [:]

    init(breaking broken: BrokenRule? = nil) throws {
        guard let app = AppID("rotates") else { throw ExplorerError.invalidValue }
        self.broken = broken
        self.app = app
        user = User(id: "usr_1", appID: app, identifiers: [], createdAt: Self.longAgo)
        events = EventFactory(
            appID: app,
            environment: ServiceEnvironment(
                now: { Self.now }, randomBytes: { Array(repeating: 7, count: $0) }, sleep: { _ in }))
    }

    /// The row after the login.
    func newSession() -> RowID {
        number(
            of: Session(
                id: "ses_1", appID: app, userID: user.id, keyThumbprint: "key", device: Device(),
                createdAt: Self.longAgo, idleExpiresAt: Self.now + 86_400, absoluteExpiresAt: Self.now + 86_400))
    }

    func session(_ row: RowID) -> Session { rows[Int(row)] }

    func isRevoked(_ row: RowID) -> Bool { rows[Int(row)].revokedAt != nil }

    /// The row after some minutes.
    func aged(_ row: RowID) -> RowID {
        var session = rows[Int(row)]
        guard session.rotatedAt != Self.longAgo else { return row }
        session.rotatedAt = Self.longAgo
        return number(of: session)
    }

    func reply(to call: Call) -> Reply {
        if let known = replies[call] { return known }
        let reply = decide(call)
        replies[call] = reply
        return reply
    }

    private func number(of session: Session) -> RowID {
        let key = RowKey(session)
        if let known = numbers[key] { return known }
        let number = RowID(rows.count)
        var session = session
        // Replay memory has this proof as well, and here it never ends.
        session.lastProof = nil
        rows.append(session)
        numbers[key] = number
        return number
    }

    private func decide(_ call: Call) -> Reply {
        let session = rows[Int(call.row)]
        let proof = proof(of: call, for: session)
        let intent = RotateRefreshToken(
            appID: app, sessionID: session.id, generation: Int64(call.generation), proof: proof, device: Device(),
            policy: SessionPolicy(), now: Self.now, events: events)
        let facts = Facts {
            $0.session = session
            $0.user = user
            if call.isSeen { $0.failures = GuardFailures(.taken(.proof(proof.replayKey))) }
        }
        let decision = broken?.decide(intent, session, isSeen: call.isSeen) ?? intent.decide(facts)
        var (row, remembersProof) = (call.row, false)
        for change in decision.changes {
            switch change {
            case .reserveProof: remembersProof = true
            case .replaceSession(_, let next): row = number(of: next)
            default: break
            }
        }
        let (answer, rotates) = answer(decision.outcome)
        return Reply(row: row, answer: answer, remembersProof: remembersProof, rotates: rotates)
    }

    private func answer(_ outcome: RotationOutcome) -> (Answer, rotates: Bool) {
        switch outcome {
        case .rotated(let session, _, _), .recovered(let session, _, _): (.tokens(UInt8(session.generation)), true)
        case .repeated(let session, _, _): (.tokens(UInt8(session.generation)), false)
        case .nonceDemanded: (.nonceDemanded, false)
        case .refused(.replayedProof): (.replayed, false)
        case .refused(.refreshTokenSpent): (.spent, false)
        case .revoked, .refused: (.unauthorized, false)
        }
    }

    private func proof(of call: Call, for session: Session) -> ProofUse {
        let before = session.rotatedAt - (call.isOld ? 100 : 5)
        let after = call.isOld ? Self.now - 500 : Self.now
        return ProofUse(
            thumbprint: "key", replayKey: "proof", rememberUntil: Self.now + 1000, hasNonce: call.hasNonce,
            isFresh: call.hasNonce || !call.isOld, issuedAt: call.isBeforeRotation ? before : after,
            attempt: hash(call.attempt))
    }

    private func hash(_ attempt: Attempt) -> String? {
        guard attempt != .none else { return nil }
        if let known = hashes[attempt] { return known }
        let hash = RotationAttempts.hash("attempt \(attempt.number)")
        hashes[attempt] = hash
        return hash
    }
}

enum ExplorerError: Error {
    case invalidValue
}
