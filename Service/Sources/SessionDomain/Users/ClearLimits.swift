internal import SessionTokens

/// Deletes counters, and reports it: those of an identifier, whether a user has it or not, or those of a source address.
package struct ClearCounters: Intent {
    package let keys: [CounterKey]
    package let report: Event

    package init(_ keys: [CounterKey], report: Event) {
        self.keys = keys
        self.report = report
    }

    package var facts: FactQuery { FactQuery(app: report.appID) }

    package func decide(_ facts: Facts) -> Decision<Void> {
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

    package var facts: FactQuery { change.facts }

    package func decide(_ facts: Facts) -> Decision<User?> {
        guard let user = facts.user else { return Decision(nil) }
        return Decision(
            user,
            CounterKey.all(of: user).map { .clearCounter($0, app: change.appID) } + [
                .clearCounters(prefixes: CounterKey.prefixes(ofUser: user.id), app: change.appID),
                .append(change.events.make(.limitsCleared, ["user_id": .string(user.id)])),
            ])
    }
}
