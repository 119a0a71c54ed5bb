internal import GRDB
package import SessionDomain

extension SQLiteStore {
    package func startSession(_ intent: StartSession) async throws -> StartSessionOutcome {
        try await writeOrUndo { db in
            let outcome = try db.perform(intent)
            if case .started = outcome { return .keep(outcome) }
            return .undo(outcome)
        }
    }
}

extension Database {
    fileprivate func perform(_ intent: StartSession) throws -> StartSessionOutcome {
        let app = intent.session.appID
        if let proof = intent.proof, try !reserve(proof, app: app, now: intent.now) { return .replayedProof }
        guard try redeem(challenge: intent.challengeID, expiresAt: intent.challengeExpiresAt, app: app) else {
            return .challengeReused
        }
        guard let user = try user(intent.session.userID, app: app) else { return .unknownUser }
        guard user.status == .active else { return .inactive(user.status) }
        guard try !intent.isVoid(by: loginsVoidBefore(user)) else { return .challengeVoid }
        if let id = intent.previousSessionID, let previous = try session(id, app: app), intent.mayReplace(previous) {
            try revoke(previous, reason: .replacedByLogin, now: intent.now, events: intent.events)
        }
        try insert(intent.session)
        for grant in intent.grants { try insert(grant) }
        try append([intent.createdEvent()])
        return .started(user)
    }
}
