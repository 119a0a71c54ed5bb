@testable import SessionDomain

/// The service with its real decisions about one login with a code: `CheckCode`, `StartSession` and `RepeatSessionStart`.
final class PlayedLogins {
    /// What the service has stored about the login.
    struct Row: Equatable {
        var verification: Verification?
        var user: User?
        var redeemed: Set<String> = []
        /// All sessions that were started.
        var sessions: [Session] = []
    }

    struct Reply {
        var row: Row
        var answer: LoginAnswer
        var remembersProof = false
    }

    private static let now = Timestamp(seconds: 1_800_000_000)

    private let app: AppID
    private let events: EventFactory
    private let broken: BrokenLoginRule?
    /// Ids of challenges that are not those of the verification.
    private var challenges = 0

    init(breaking broken: BrokenLoginRule?) throws {
        guard let app = AppID("rotates") else { throw ExplorerError.invalidValue }
        (self.app, self.broken) = (app, broken)
        events = EventFactory(
            appID: app,
            environment: ServiceEnvironment(
                now: { Self.now }, randomBytes: { Array(repeating: 7, count: $0) }, sleep: { _ in }))
    }

    /// The row of a new user whose code was sent.
    func firstRow() throws -> Row {
        let identifier = try CanonicalIdentifier(type: "email_address", value: "ada@example.com")
        let seed = CodeSeed(verification: "token", number: "1", size: 6, keyID: "key")
        let code = IssuedCode(hash: "right", seed: seed, expiresAt: Self.now + 600)
        return Row(
            verification: Verification(
                tokenHash: "token", appID: app, identifier: identifier, loginConfigID: "lcfg", codeChallenge: "pkce",
                code: code, lastSentAt: Self.now, createdAt: Self.now))
    }

    func reply(to request: LoginRequest, _ row: Row) -> Reply {
        switch request.call {
        case .check: check(row)
        case .finalize(let challenge): finalize(challenge, attempt: request.attempt, isSeen: request.isSeen, row)
        }
    }

    private func check(_ row: Row) -> Reply {
        let intent = CheckCode(
            appID: app, tokenHash: "token", codeHashes: ["right"], limits: LimitSettings(), signUp: true,
            newUserID: "usr_1", now: Self.now, events: events)
        let decision = intent.decide(
            FoundRows {
                $0.verification = row.verification
                $0.user = row.user
            })
        guard case .right(let verification, let user, _) = decision.outcome else {
            return Reply(row: row, answer: .refused)
        }
        var next = apply(decision.changes, to: row)
        if broken == .spendsTheCode { next.verification = nil }
        next.user = user
        guard verification.isAnswered, broken != .makesAChallengePerCheck else {
            challenges += 1
            return Reply(row: next, answer: .challenge("chl_\(challenges)"))
        }
        return Reply(row: next, answer: .challenge(ChallengeClaims.id(answering: verification)))
    }

    private func finalize(_ challenge: String, attempt: UInt8, isSeen: Bool, _ row: Row) -> Reply {
        let proof = ProofUse(
            thumbprint: "key", replayKey: "proof", rememberUntil: Self.now + 180, nonce: nil,
            windowStart: Self.now - 100, isFresh: true, issuedAt: Self.now, attempt: "attempt \(attempt)")
        let session = Session(
            id: "ses_" + challenge, appID: app, userID: "usr_1", keyThumbprint: "key",
            attempts: RotationAttempts(last: proof.attempt), device: Device(), createdAt: Self.now,
            idleExpiresAt: Self.now + 86_400, absoluteExpiresAt: Self.now + 86_400)
        let intent = StartSession(
            session: session, challengeID: challenge,
            verification: challenge.hasPrefix("vrf_") ? String(challenge.dropFirst(4)) : nil,
            challengeEpoch: row.user?.loginEpoch, challengeExpiresAt: Self.now + 300, proof: proof,
            previousSessionID: nil, maximumSessions: 100, now: Self.now, events: events)
        let decision = intent.decide(
            FoundRows { facts in
                facts.user = row.user
                facts.verification = intent.verification == nil ? nil : row.verification
                if isSeen { facts.failures.add(.taken(.proof("proof"))) }
                if row.redeemed.contains(challenge) { facts.failures.add(.taken(.redemption(challenge))) }
            })
        switch decision.outcome {
        case .started:
            return Reply(
                row: apply(decision.changes, to: row), answer: .session(session.id), remembersProof: true)
        case .challengeReused where broken != .startsOnlyOnce: return repetition(session, proof, isSeen: isSeen, row)
        case .replayedProof: return Reply(row: row, answer: .replayed)
        default: return Reply(row: row, answer: .refused)
        }
    }

    private func repetition(_ session: Session, _ proof: ProofUse, isSeen: Bool, _ row: Row) -> Reply {
        let decision = RepeatSessionStart(of: session, proof: proof, now: Self.now).decide(
            FoundRows { facts in
                facts.session = row.sessions.first { $0.id == session.id }
                facts.user = row.user
                if isSeen { facts.failures.add(.taken(.proof("proof"))) }
            })
        switch decision.outcome {
        case .repeated(let session, _, _):
            return Reply(row: row, answer: .session(session.id), remembersProof: true)
        case .replayedProof: return Reply(row: row, answer: .replayed)
        default: return Reply(row: row, answer: .refused)
        }
    }

    private func apply(_ changes: [Change], to row: Row) -> Row {
        var next = row
        for change in changes {
            switch change {
            case .replaceVerification(_, let verification): next.verification = verification
            case .deleteVerification: next.verification = nil
            case .redeem(let id, _, _): next.redeemed.insert(id)
            case .insertSession(let session): next.sessions.append(session)
            default: break
            }
        }
        return next
    }
}
