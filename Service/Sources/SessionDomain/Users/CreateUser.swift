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

    package var facts: FactQuery { FactQuery(app: user.appID) }

    package func decide(_ facts: Facts) -> Decision<CreateUserOutcome> {
        if let externalID = user.externalID, facts.isTaken(.externalID(externalID)) {
            return Decision(.externalIDTaken)
        }
        if let index = user.identifiers.firstIndex(where: { facts.isTaken(.identifier($0)) }) {
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

extension Change {
    /// The changes that insert a user with all identifiers.
    static func insertions(of user: User, passwordHash: String? = nil) -> [Change] {
        [.insertUser(user, passwordHash: passwordHash)] + user.identifiers.map { .insertIdentifier($0, of: user) }
    }
}
