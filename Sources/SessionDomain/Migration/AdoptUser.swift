/// The intent to take over a user whom the operator's backend has vouched for. A store performs it in one transaction:
///
/// 1. find the user by external id, else by any of the identifiers; if they lead to different users: `.conflict`;
/// 2. nobody: insert `newUser` with its event;
/// 3. somebody who is not active: change nothing; with more than `User.maximumIdentifiers` in all: `.conflict`;
/// 4. somebody else: add the identifiers that nobody has, each with its event, and the external id if there is none (another
///    one: `.conflict`); the profile stays as it is. `now` is noted as the time of change if anything was added.
///
/// A conflict undoes everything.
package struct AdoptUser: Sendable {
    package let newUser: User
    package let now: Timestamp
    package let events: EventFactory

    package init(newUser: User, now: Timestamp, events: EventFactory) {
        self.newUser = newUser
        self.now = now
        self.events = events
    }
}

package enum AdoptUserOutcome: Sendable, Equatable {
    case adopted(User)
    case conflict
}
