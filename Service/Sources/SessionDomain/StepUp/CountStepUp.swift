/// Counts a request for a scope. Returns the time from which to try again if the user has reached the limit.
package struct CountStepUp: Intent {
    package let userID: String
    /// The session that requests, for the event.
    package let sessionID: String?
    package let appID: AppID
    package let limit: RateLimit
    package let now: Timestamp
    /// Reports the limit.
    package let events: EventFactory?

    package init(
        user id: String, session: String? = nil, app: AppID, limit: RateLimit, now: Timestamp,
        events: EventFactory? = nil
    ) {
        userID = id
        sessionID = session
        appID = app
        self.limit = limit
        self.now = now
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: appID) }

    package func decide(_ facts: Facts) -> Decision<Timestamp?> {
        let requests = CounterKey.stepUps(userID: userID)
        if let until = facts.limit(of: requests) {
            let (limit, subject) = (
                ReachedLimit(requests, until: until), LoginSubject(stepUpOf: userID, session: sessionID)
            )
            return Decision(until, events?.loginLimited(limit, nil, of: subject, facts) ?? [])
        }
        return Decision(nil, [.count(requests, app: appID, limit: limit, now: now)])
    }
}
