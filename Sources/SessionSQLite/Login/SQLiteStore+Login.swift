internal import GRDB
package import SessionDomain

extension SQLiteStore: LoginStore {
    package func startVerification(_ intent: StartVerification) async throws -> StartVerificationOutcome {
        try await write { db in
            let counted = try db.take(
                .otpStarts(intent.identifier), app: intent.appID, limit: intent.limit, now: intent.now)
            if case .refused(let until) = counted { return .limited(until: until) }
            let user = try db.user(with: intent.identifier, app: intent.appID)
            let verification = intent.verification(intent.isSuppressed(user: user))
            try db.insert(verification)
            return .started(verification)
        }
    }

    package func resendCode(_ intent: ResendCode) async throws -> ResendDecision {
        try await write { db in
            let decision = intent.decide(try db.verification(tokenHash: intent.tokenHash, app: intent.appID))
            if case .send(let next) = decision { try db.update(next) }
            return decision
        }
    }

    package func verification(tokenHash: String, app: AppID) async throws -> Verification? {
        try await read { db in try db.verification(tokenHash: tokenHash, app: app) }
    }

    package func beginPasswordTry(_ intent: BeginPasswordTry) async throws -> BeginPasswordTryOutcome {
        try await write { db in
            let counted = try db.take(
                .passwordTries(intent.identifier), app: intent.appID, limit: intent.limit, now: intent.now)
            if case .refused(let until) = counted { return .limited(until: until) }
            guard let user = try db.user(with: intent.identifier, app: intent.appID) else { return .unknown }
            return .found(user, passwordHash: try db.passwordHash(of: user.id, app: intent.appID))
        }
    }

    package func clearCounter(_ key: CounterKey, app: AppID) async throws {
        try await write { db in try db.clear(key, app: app) }
    }
}
