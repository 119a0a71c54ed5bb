package import SessionTokens

/// Creates a user with identifiers and an optional password.
package struct CreateUser: Intent {
    package let user: User
    package let passwordHash: String?
    package let events: [Event]

    package init(_ user: User, passwordHash: String?, events: [Event]) {
        self.user = user
        self.passwordHash = passwordHash
        self.events = events
    }

    package var reads: Read<GuardFailures> { Read(app: user.appID, .failures) }

    package func decide(_ failures: GuardFailures) -> Decision<CreateUserOutcome> {
        if let externalID = user.externalID, failures.isTaken(.externalID(externalID)) {
            return Decision(.externalIDTaken)
        }
        if let index = user.identifiers.firstIndex(where: { failures.isTaken(.identifier($0)) }) {
            return Decision(.identifierTaken(index))
        }
        return Decision(
            .created, Change.insertions(of: user, passwordHash: passwordHash) + events.map { .append($0) })
    }
}

package enum CreateUserOutcome: Sendable, Equatable {
    case created
    /// The place of the identifier that another user has.
    case identifierTaken(Int)
    case externalIDTaken
}

/// Sets the status of a user. Any status but active ends the user's sessions, codes and step-ups (R8).
///
/// Returns `nil` for an unknown user.
package struct SetUserStatus: Intent {
    package let status: User.Status
    package let change: UserChange

    package init(_ status: User.Status, in change: UserChange) {
        self.status = status
        self.change = change
    }

    package struct Facts: Sendable {
        let user: User?
        let liveSessions: [Session]
    }

    package var reads: Read<Facts> {
        Read(app: change.appID, .user(change.userID), .liveSessions(at: change.now), as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<User?> {
        guard let user = facts.user else { return Decision(nil) }
        var (next, changes) = (user, [Change]())
        if user.status != status {
            next.status = status
            next.updatedAt = change.now
            let event = change.events.make(
                .userStatusChanged, ["user_id": .string(change.userID), "status": .string(status.rawValue)])
            changes += [.replaceUser(user, with: next), .append(event)]
        }
        if status != .active {
            let revocation = SessionRevocation(reason: .userInactive, now: change.now, events: change.events)
            changes += revocation.changes(facts.liveSessions, .all)
            changes += Change.endingBegun(by: user)
        }
        return Decision(next, changes)
    }
}

/// Replaces the external id of a user. `nil` removes it.
package struct SetExternalID: Intent {
    package let externalID: String?
    package let change: UserChange

    package init(_ externalID: String?, in change: UserChange) {
        self.externalID = externalID
        self.change = change
    }

    package var reads: Read<UserChange.Facts> { change.reads }

    package func decide(_ facts: UserChange.Facts) -> Decision<UpdateUserOutcome> {
        guard let user = facts.user else { return Decision(.notFound) }
        if let externalID, facts.failures.isTaken(.externalID(externalID)) { return Decision(.taken) }
        var next = user
        next.externalID = externalID
        next.updatedAt = change.now
        let event = change.events.make(.externalIDUpdated, ["user_id": .string(change.userID)])
        return Decision(.updated(next), [.append(event), .replaceUser(user, with: next)])
    }
}

/// Merges values into the profile of a user. A null removes its key.
package struct MergeProfile: Intent {
    package let values: [String: JSONValue]
    package let change: UserChange

    package init(_ values: [String: JSONValue], in change: UserChange) {
        self.values = values
        self.change = change
    }

    package var reads: Read<User?> { Read(app: change.appID, .user(change.userID)) }

    package func decide(_ user: User?) -> Decision<UpdateUserOutcome> {
        guard let user else { return Decision(.notFound) }
        var next = user
        for (key, value) in values { next.profile[key] = value == .null ? nil : value }
        guard next.profile.count <= User.maximumProfileKeys, fits(next, replacing: user) else { return Decision(.full) }
        next.updatedAt = change.now
        let event = change.events.make(.profileUpdated, ["user_id": .string(change.userID)])
        return Decision(.updated(next), [.append(event), .replaceUser(user, with: next)])
    }

    /// An earlier version stored larger profiles. They can become smaller step by step.
    private func fits(_ next: User, replacing user: User) -> Bool {
        let size = User.size(of: next.profile)
        return size <= User.maximumProfileSize || size < User.size(of: user.profile)
    }
}

/// Deletes a user with everything that belongs to them, running verifications included. Returns `false` for an unknown user.
///
/// Counters, messages and events that name the user or an identifier go in the same transaction. Only the events given here
/// name the user afterwards.
package struct DeleteUser: Intent {
    package let userID: String
    package let appID: AppID
    package let events: [Event]
    /// Names the user in the events that stay. `nil`: these stay as they are.
    package let pseudonym: String?

    package init(_ id: String, app: AppID, events: [Event], pseudonym: String? = nil) {
        userID = id
        appID = app
        self.events = events
        self.pseudonym = pseudonym
    }

    package var reads: Read<User?> { Read(app: appID, .user(userID)) }

    package func decide(_ user: User?) -> Decision<Bool> {
        guard let user else { return Decision(false) }
        let counters = CounterKey.all(of: user) + Notice.Kind.allCases.map { .notices(userID: userID, $0) }
        return Decision(
            true,
            user.identifiers.flatMap { Change.forgetting($0, app: appID) } + [.deleteUser(user)]
                + counters.map { .clearCounter($0, app: appID) }
                + [
                    .clearCounters(prefixes: CounterKey.prefixes(ofUser: userID), app: appID),
                    .deleteMessages(ofUser: userID, app: appID),
                ]
                + (pseudonym.map { [.forgetEvents(ofUser: userID, as: $0, app: appID)] } ?? [])
                + events.map { .append($0) })
    }
}

/// Deletes counters, and reports it: those of an identifier, whether a user has it or not, or those of a source address.
package struct ClearCounters: Intent {
    package let keys: [CounterKey]
    package let report: Event

    package init(_ keys: [CounterKey], report: Event) {
        self.keys = keys
        self.report = report
    }

    package var reads: Read<Void> { Read(app: report.appID) }

    package func decide(_: Void) -> Decision<Void> {
        Decision((), keys.map { .clearCounter($0, app: report.appID) } + [.append(report)])
    }
}

/// Sets the limits of a user back: starts, failed checks, password attempts, messages and step-ups, of strangers at the
/// user's identifiers and of all devices, known and former, and sessions of the user. Returns `nil` for an unknown user.
///
/// At 99 consecutive failures an identifier is closed to strangers for 30 days. Only an operator can open it earlier.
package struct ClearLimits: Intent {
    package let change: UserChange

    package init(in change: UserChange) { self.change = change }

    package var reads: Read<User?> { Read(app: change.appID, .user(change.userID)) }

    package func decide(_ user: User?) -> Decision<User?> {
        guard let user else { return Decision(nil) }
        return Decision(
            user,
            CounterKey.all(of: user).map { .clearCounter($0, app: change.appID) } + [
                .clearCounters(prefixes: CounterKey.prefixes(ofUser: user.id), app: change.appID),
                .append(change.events.make(.limitsCleared, ["user_id": .string(user.id)])),
            ])
    }
}
