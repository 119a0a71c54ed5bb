/// The user that an intent changes, the time of the change, and the factory of its events.
package struct UserChange: Sendable {
    package let userID: String
    package let appID: AppID
    package let now: Timestamp
    package let events: EventFactory
    /// Tells the user about the change. `nil` for a change that has no notice.
    package let notices: NoticeFactory?

    package init(
        of userID: String, app: AppID, now: Timestamp, events: EventFactory, notices: NoticeFactory? = nil
    ) {
        self.userID = userID
        appID = app
        self.now = now
        self.events = events
        self.notices = notices
    }

    /// - Parameter user: Before the change.
    func notice(_ occasion: NoticeOccasion, to user: User, _ facts: Facts) -> [Change] {
        notices?.changes(occasion, to: user, facts, at: now) ?? []
    }

    /// Asks for the user.
    var facts: FactQuery { FactQuery(app: appID) { $0.user = .id(userID) } }

    /// Asks for the user and the user's live sessions.
    var factsWithSessions: FactQuery {
        FactQuery(app: appID) {
            $0.user = .id(userID)
            $0.liveSessions = now
        }
    }
}

/// The outcome of a change of one user.
package enum UpdateUserOutcome: Sendable, Equatable {
    case updated(User)
    /// Another user of the app has the identifier or the external id.
    case taken
    /// The user has the maximum number.
    case full
    case notFound
}
