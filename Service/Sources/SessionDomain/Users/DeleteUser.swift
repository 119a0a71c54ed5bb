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

    package var facts: FactQuery { FactQuery(app: appID) { $0.user = .id(userID) } }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let user = facts.user else { return Decision(false) }
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

extension Change {
    /// The changes that leave nothing of an identifier that a user has no longer, apart from its own counters and events.
    static func forgetting(_ identifier: CanonicalIdentifier, app: AppID) -> [Change] {
        [
            .endVerifications(of: identifier, app: app), .forgetIdentifier(identifier, app: app),
            .clearCounters(prefixes: [CounterKey.prefixOfMarks(at: identifier)], app: app),
        ]
    }
}

extension CanonicalIdentifier {
    /// What the place of a forgotten identifier begins with. Of a phone number, the calling code stays: the limits of a
    /// verification depend on it.
    package var pseudonymPrefix: String {
        switch type {
        case .emailAddress: "deleted@"
        case .phoneNumber: CallingCode.of(canonical) + "/"
        }
    }

    /// Whether a phone number begins with a prefix. A forgotten one has only its calling code: it may have begun with each
    /// prefix of the country, and was checked before it was forgotten.
    func mayBegin(with prefix: String) -> Bool {
        guard let end = canonical.firstIndex(of: "/") else { return canonical.hasPrefix(prefix) }
        let code = canonical[..<end]
        return code.hasPrefix(prefix) || prefix.hasPrefix(code)
    }
}
