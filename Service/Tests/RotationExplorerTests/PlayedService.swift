import SessionDomain

/// The service with its real decision, `RotateRefreshToken.decide`. Rows are numbers, and each call is decided once.
final class PlayedService {
    /// One refresh as the service sees it.
    struct Call: Hashable {
        var row: RowID
        var generation: UInt8
        var attempt: Attempt
        var nonce: NonceWindow?
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
        let settledGeneration: Int64
        let demandsNonce: Bool
        let isRevoked: Bool
        let isOfThisWindow: Bool

        init(_ row: Row) {
            let session = row.session
            generation = session.generation
            last = session.attempts.last
            earlier = session.attempts.earlier
            rotatedAt = session.rotatedAt.milliseconds
            settledGeneration = session.settledGeneration
            demandsNonce = session.demandsNonce
            isRevoked = session.revokedAt != nil
            isOfThisWindow = row.isOfThisWindow
        }
    }

    private struct Row {
        var session: Session
        /// Whether the session has rotated in the current nonce window.
        var isOfThisWindow: Bool
    }

    /// The time of every call. What happened earlier is moved into the past instead.
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let longAgo = now - 1000

    private let broken: BrokenRule?
    private let app: AppID
    private let user: User
    private let events: EventFactory
    private var rows: [Row] = []
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
        let session = Session(
            id: "ses_1", appID: app, userID: user.id, keyThumbprint: "key", device: Device(),
            createdAt: Self.longAgo, idleExpiresAt: Self.now + 86_400, absoluteExpiresAt: Self.now + 86_400)
        return number(of: Row(session: session, isOfThisWindow: false))
    }

    func isRevoked(_ row: RowID) -> Bool { rows[Int(row)].session.revokedAt != nil }

    func generation(of row: RowID) -> Int64 { rows[Int(row)].session.generation }

    /// The row after a minute.
    func aged(_ number: RowID) -> RowID {
        var row = rows[Int(number)]
        guard row.session.rotatedAt != Self.longAgo else { return number }
        row.session.rotatedAt = Self.longAgo
        return self.number(of: row)
    }

    /// The row when the next nonce window begins.
    func inNextWindow(_ number: RowID) -> RowID {
        var row = rows[Int(number)]
        guard row.isOfThisWindow else { return number }
        row.isOfThisWindow = false
        return self.number(of: row)
    }

    func reply(to call: Call) -> Reply {
        if let known = replies[call] { return known }
        let reply = decide(call)
        replies[call] = reply
        return reply
    }

    private func number(of row: Row) -> RowID {
        var row = row
        // Replay memory has this proof as well, and here it never ends.
        row.session.lastProof = nil
        // Without a rotation in this window, nothing reads it.
        if !row.isOfThisWindow { row.session.settledGeneration = row.session.generation }
        let key = RowKey(row)
        if let known = numbers[key] { return known }
        let number = RowID(rows.count)
        rows.append(row)
        numbers[key] = number
        return number
    }

    private func decide(_ call: Call) -> Reply {
        let before = rows[Int(call.row)]
        let session = before.session
        let proof = proof(of: call, for: before)
        let intent = RotateRefreshToken(
            appID: app, sessionID: session.id, generation: Int64(call.generation), proof: proof, device: Device(),
            policy: SessionPolicy(), now: Self.now, events: events)
        let facts = FoundRows {
            $0.session = session
            $0.user = user
            if call.isSeen { $0.failures = GuardFailures(.taken(.proof(proof.replayKey))) }
        }
        let decision = broken?.decide(intent, session, isSeen: call.isSeen) ?? intent.decide(facts)
        var (row, remembersProof) = (call.row, false)
        for change in decision.changes {
            switch change {
            case .reserveProof: remembersProof = true
            case .replaceSession(_, let next):
                let hasRotated = next.generation != session.generation
                row = number(of: Row(session: next, isOfThisWindow: hasRotated || before.isOfThisWindow))
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

    private func proof(of call: Call, for row: Row) -> ProofUse {
        let rotatedAt = row.session.rotatedAt
        let before = rotatedAt - (call.isOld ? 100 : 5)
        let after = call.isOld ? Self.now - 500 : Self.now
        return ProofUse(
            thumbprint: "key", replayKey: "proof", rememberUntil: Self.now + 1000,
            nonce: call.nonce.map { $0 == .current ? .current : .previous },
            windowStart: row.isOfThisWindow ? rotatedAt - 1 : rotatedAt + 1,
            isFresh: call.nonce != nil || !call.isOld, issuedAt: call.isBeforeRotation ? before : after,
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
