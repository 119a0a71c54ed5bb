internal import GRDB
package import SessionDomain

extension SQLiteStore {
    package func checkCode(_ intent: CheckCode) async throws -> CheckCodeOutcome {
        try await write { db in
            let current = try db.verification(tokenHash: intent.tokenHash, app: intent.appID)
            let verification: Verification
            switch intent.precheck(current) {
            case .stop(let outcome): return outcome
            case .count(let next): verification = next
            }
            let failures = CounterKey.otpFailedChecks(verification.identifier)
            let counted = try db.take(
                failures, app: intent.appID, limit: intent.limits.failedChecks, now: intent.now)
            if case .refused(let until) = counted { return .limited(until: until) }
            try db.update(verification)
            guard intent.isRight(verification) else { return .wrong }
            try db.delete(verification)
            try db.clear(failures, app: intent.appID)
            return try db.signIn(intent, verification)
        }
    }
}

extension Database {
    /// Who a right code signs in: the identifier's user, or a new one where the app lets people sign up.
    fileprivate func signIn(_ intent: CheckCode, _ verification: Verification) throws -> CheckCodeOutcome {
        if let user = try user(with: verification.identifier, app: intent.appID) {
            return user.status == .active ? .right(verification, user, isNew: false) : .wrong
        }
        guard intent.signUp else { return .wrong }
        let user = intent.newUser(for: verification)
        guard try insert(user, passwordHash: nil) == .created else {
            throw StoreError.unavailable("an identifier was taken inside a transaction")
        }
        try append([intent.events.userCreated(user)])
        return .right(verification, user, isNew: true)
    }
}
