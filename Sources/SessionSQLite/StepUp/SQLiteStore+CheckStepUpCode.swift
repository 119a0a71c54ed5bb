internal import GRDB
package import SessionDomain

extension SQLiteStore {
    package func checkStepUpCode(_ intent: CheckStepUpCode) async throws -> StepOutcome {
        try await write { db in
            let (challenge, session, user) = try db.stepUp(intent.reference, app: intent.appID)
            let refusal = intent.reference.refusal(
                challenge: challenge, session: session, user: user, now: intent.now)
            if let refusal { return .refused(refusal) }
            guard let challenge, let user else { return .refused(.invalidChallenge) }

            let check = intent.codeCheck(of: challenge)
            let current = try db.verification(tokenHash: challenge.verificationKey, app: intent.appID)
            guard case .count(let verification) = check.precheck(current) else { return .wrong }
            let failures = CounterKey.otpFailedChecks(verification.identifier)
            if case .refused(let until) = try db.take(
                failures, app: intent.appID, limit: intent.limits.failedChecks, now: intent.now)
            {
                return .limited(until: until)
            }
            try db.update(verification)
            try db.update(intent.counted(challenge))
            guard check.isRight(verification) else { return .wrong }

            try db.delete(verification)
            try db.clear(failures, app: intent.appID)
            return try db.complete(challenge, of: user, intent)
        }
    }
}

extension Database {
    /// The code was right: what it proves is taken down, and the challenge goes on.
    fileprivate func complete(
        _ challenge: StepUpChallenge, of user: User, _ intent: CheckStepUpCode
    ) throws -> StepOutcome {
        if let identifier = challenge.newIdentifier, !user.identifiers.contains(identifier) {
            guard user.identifiers.count < User.maximumIdentifiers else { return .refused(.identifiersFull) }
            guard try insert(identifier, of: user.id, app: user.appID) else {
                try delete(challenge)
                return .identifierTaken
            }
            try run(
                "UPDATE users SET updated_at = ? WHERE app_id = ? AND id = ?", [intent.now, user.appID, user.id])
            try append([intent.events.identifierCreated(identifier, of: user.id)])
        }
        let next = intent.advanced(challenge)
        try update(next)
        return .advanced(next)
    }
}
