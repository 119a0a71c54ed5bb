internal import SessionTokens

/// Changes the caller's password, under the scope `prld:pwd:write`.
package struct PasswordChange: Sendable {
    private let store: any StepUpStore
    private let hasher: any PasswordHasher
    private let environment: ServiceEnvironment

    package init(store: any StepUpStore, hasher: any PasswordHasher, environment: ServiceEnvironment) {
        self.store = store
        self.hasher = hasher
        self.environment = environment
    }

    /// Stores a new password and consumes the grant in one transaction. A password that breaks a rule consumes nothing.
    ///
    /// - Throws: `Refusal.insufficientScope`, `.invalidPassword`.
    package func change(to password: String, by caller: SignedIn, app: AppRuntime) async throws {
        guard caller.claims.has(scope: ReservedScope.writePassword) else {
            throw Refusal.insufficientScope(ReservedScope.writePassword)
        }
        let now = environment.now()
        let grants = try await store.grants(of: caller.user.id, app: app.settings.id, liveAt: now)
        // Hashing is costly. This check saves the work if the grant is gone; the transaction below decides.
        guard grants.contains(where: { $0.scope == ReservedScope.writePassword && $0.covers(caller.session, at: now) })
        else { throw Refusal.insufficientScope(ReservedScope.writePassword) }
        try NewPasswordRules(app: app.settings, identifiers: caller.user.identifiers).check(password)
        let outcome = try await store.perform(
            ChangePassword(
                appID: app.settings.id, sessionID: caller.session.id,
                passwordHash: try await hasher.hash(password, app: app.settings.id),
                endsOtherSessions: app.settings.passwordChangeEndsOtherSessions, now: environment.now(),
                events: EventFactory(appID: app.settings.id, environment: environment),
                notices: NoticeFactory(app.settings, environment: environment)))
        if outcome == .insufficientScope { throw Refusal.insufficientScope(ReservedScope.writePassword) }
    }
}

/// Changes the password of the caller and consumes the grant that allows it. What was begun under the old password ends.
///
/// Of two calls that race for one grant, the second finds none.
package struct ChangePassword: Intent {
    package let appID: AppID
    package let sessionID: String
    package let passwordHash: String
    package let endsOtherSessions: Bool
    package let now: Timestamp
    package let events: EventFactory
    package let notices: NoticeFactory?

    package init(
        appID: AppID, sessionID: String, passwordHash: String, endsOtherSessions: Bool, now: Timestamp,
        events: EventFactory, notices: NoticeFactory? = nil
    ) {
        self.appID = appID
        self.sessionID = sessionID
        self.passwordHash = passwordHash
        self.endsOtherSessions = endsOtherSessions
        self.now = now
        self.events = events
        self.notices = notices
    }

    package struct Facts: Sendable {
        let session: Session?
        let user: User?
        let grants: [Grant]
        let liveSessions: [Session]
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(
            app: appID, .session(sessionID), .userOfSession(), .grants(at: now),
            .liveSessions(at: endsOtherSessions ? now : nil), .failures, as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<ChangePasswordOutcome> {
        guard let session = facts.session, let user = facts.user, session.isLive(at: now), user.status == .active else {
            return Decision(.insufficientScope)
        }
        let consumed = facts.grants.filter { $0.scope == ReservedScope.writePassword && $0.covers(session, at: now) }
        guard !consumed.isEmpty else { return Decision(.insufficientScope) }
        let password = PasswordReplacement(of: user, hash: passwordHash, now: now, events: events)
        let others = SessionRevocation(reason: .passwordChanged, now: now, events: events)
            .changes(facts.liveSessions, .allBut(session.id))
        let notice = notices?.changes(.passwordChanged, to: user, facts.failures, at: now) ?? []
        return Decision(.changed, consumed.map { .deleteGrant($0) } + password.changes + others + notice)
    }
}

package enum ChangePasswordOutcome: Sendable, Equatable {
    case changed
    case insufficientScope
}

/// Stores a password hash for an operator. What was begun under the old password ends (O12). Returns `nil` for an unknown
/// user.
package struct SetPassword: Intent {
    package let hash: String
    /// The sessions that end. `nil`: none.
    package let ending: SessionSelection?
    package let change: UserChange

    package init(hash: String, ending: SessionSelection?, in change: UserChange) {
        self.hash = hash
        self.ending = ending
        self.change = change
    }

    package var reads: Read<UserChange.SessionFacts> { change.readsWithSessions }

    package func decide(_ facts: UserChange.SessionFacts) -> Decision<User?> {
        guard let user = facts.user else { return Decision(nil) }
        let password = PasswordReplacement(of: user, hash: hash, now: change.now, events: change.events)
        var changes = password.changes
        if let ending {
            let revocation = SessionRevocation(reason: .passwordChanged, now: change.now, events: change.events)
            changes += revocation.changes(facts.liveSessions, ending)
        }
        return Decision(password.user, changes + change.notice(.passwordChanged, to: user, facts.failures))
    }
}

/// The changes that store another password and end what was begun under the old one.
private struct PasswordReplacement {
    /// The user with the new password.
    let user: User
    let changes: [Change]

    init(of user: User, hash: String, now: Timestamp, events: EventFactory) {
        var next = user
        next.hasPassword = true
        next.updatedAt = now
        self.user = next
        changes =
            [.setPasswordHash(hash, replacing: nil, of: user), .replaceUser(user, with: next)]
            + Change.endingBegun(by: user)
            + [.append(events.make(.passwordChanged, ["user_id": .string(user.id)]))]
    }
}
