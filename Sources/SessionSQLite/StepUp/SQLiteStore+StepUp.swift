internal import GRDB
package import SessionDomain

extension SQLiteStore: StepUpStore {
    package func countStepUp(user id: String, app: AppID, limit: RateLimit, now: Timestamp) async throws -> Timestamp? {
        try await write { db in
            guard case .refused(let until) = try db.take(.stepUps(userID: id), app: app, limit: limit, now: now) else {
                return nil
            }
            return until
        }
    }

    package func openChallenge(_ intent: OpenChallenge) async throws {
        let challenge = intent.challenge
        try await write { db in
            try db.run(
                """
                DELETE FROM challenges WHERE app_id = ? AND id IN (
                    SELECT id FROM challenges WHERE app_id = ? AND session_id = ? AND redeemed_at IS NULL
                    ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?)
                """,
                [challenge.appID, challenge.appID, challenge.sessionID, StepUpChallenge.maximumPerSession - 1])
            try db.insert(challenge)
        }
    }

    package func sendStepUpCode(_ intent: SendStepUpCode) async throws -> SendStepUpOutcome {
        try await write { db in
            let (challenge, session, user) = try db.stepUp(intent.reference, app: intent.appID)
            let admitted = intent.admit(challenge: challenge, session: session, user: user)
            switch admitted {
            case .failure(let refusal): return .refused(refusal)
            case .success(let (challenge, identifier)): return try db.send(intent, challenge, to: identifier)
            }
        }
    }

    package func completeCustomStep(_ intent: CompleteCustomStep) async throws -> StepOutcome {
        try await write { db in
            let (challenge, session, user) = try db.stepUp(intent.reference, app: intent.appID)
            if let refusal = intent.refusal(challenge: challenge, session: session, user: user) {
                return .refused(refusal)
            }
            guard let challenge else { return .refused(.invalidChallenge) }
            let report = intent.report
            guard try db.redeem(challenge: "step/" + report.tokenID, expiresAt: report.expiresAt, app: intent.appID)
            else { return .refused(.challengeReused) }
            let next = intent.advanced(challenge)
            try db.update(next)
            return .advanced(next)
        }
    }

    package func grants(of userID: String, app: AppID) async throws -> [Grant] {
        try await read { db in try db.grants(of: userID, app: app) }
    }

    package func append(_ events: [Event]) async throws {
        try await write { db in try db.append(events) }
    }
}

extension Database {
    /// The challenge that a token names, with the session and the user it belongs to.
    func stepUp(
        _ reference: ChallengeReference, app: AppID
    ) throws -> (challenge: StepUpChallenge?, session: Session?, user: User?) {
        guard let challenge = try challenge(reference.id, app: app),
            let (session, user) = try signedIn(session: challenge.sessionID, app: app)
        else { return (nil, nil, nil) }
        return (challenge, session, user)
    }

    fileprivate func send(
        _ intent: SendStepUpCode, _ challenge: StepUpChallenge, to identifier: CanonicalIdentifier
    ) throws -> SendStepUpOutcome {
        let current = try verification(tokenHash: challenge.verificationKey, app: intent.appID)
        switch intent.decide(challenge, current: current, identifier: identifier) {
        case .limited(let until): return .limited(until: until)
        case .resend(let next):
            try update(next)
            return .send(next)
        case .start(let first):
            let counted = try take(
                .otpStarts(first.identifier), app: intent.appID, limit: intent.limits.starts, now: intent.now)
            if case .refused(let until) = counted { return .limited(until: until) }
            if let current { try delete(current) }
            try insert(first)
            return .send(first)
        }
    }
}
