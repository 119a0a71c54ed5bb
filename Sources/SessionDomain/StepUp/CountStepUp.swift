/// Counts a request for a scope. Returns the time from which to try again if the user has reached the limit.
package struct CountStepUp: Intent {
    package let userID: String
    package let appID: AppID
    package let limit: RateLimit
    package let now: Timestamp

    package init(user id: String, app: AppID, limit: RateLimit, now: Timestamp) {
        userID = id
        appID = app
        self.limit = limit
        self.now = now
    }

    package var facts: FactQuery { FactQuery(app: appID) }

    package func decide(_ facts: Facts) -> Decision<Timestamp?> {
        let requests = CounterKey.stepUps(userID: userID)
        if let until = facts.limit(of: requests) { return Decision(until) }
        return Decision(nil, [.count(requests, app: appID, limit: limit, now: now)])
    }
}
