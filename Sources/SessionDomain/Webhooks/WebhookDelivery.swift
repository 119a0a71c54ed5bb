/// One event on its way to one webhook.
package struct WebhookDelivery: Sendable, Equatable {
    package enum Status: String, Sendable, Codable {
        case pending
        case delivered
        /// Given up after two weeks.
        case failed
    }

    package let webhookID: String
    package let event: Event
    package var status: Status
    package var attempts: Int
    /// When it is due, for one that is pending.
    package var nextAttemptAt: Timestamp
    /// The status of the last answer; `nil` when there was none.
    package var lastStatus: Int?
    /// What went wrong last, in a few words.
    package var lastError: String?
    package var deliveredAt: Timestamp?

    package init(
        webhookID: String, event: Event, status: Status = .pending, attempts: Int = 0, nextAttemptAt: Timestamp,
        lastStatus: Int? = nil, lastError: String? = nil, deliveredAt: Timestamp? = nil
    ) {
        self.webhookID = webhookID
        self.event = event
        self.status = status
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.lastStatus = lastStatus
        self.lastError = lastError
        self.deliveredAt = deliveredAt
    }

    /// Seconds after which a delivery is given up.
    package static let maximumAge = 14 * 86_400

    /// The delivery after a try: 200 acknowledges, anything else waits 1, 2, 4 … minutes, at most 12 hours.
    package func tried(_ result: DeliveryResult, at now: Timestamp) -> WebhookDelivery {
        var next = self
        next.attempts += 1
        switch result {
        case .answered(200):
            next.status = .delivered
            next.deliveredAt = now
            next.lastStatus = 200
            next.lastError = nil
        case .answered(let status):
            next.lastStatus = status
            next.lastError = "the endpoint answered \(status)"
            next.postpone(now)
        case .unreachable(let reason):
            next.lastStatus = nil
            next.lastError = reason
            next.postpone(now)
        }
        return next
    }

    private mutating func postpone(_ now: Timestamp) {
        let minutes = 1 << min(attempts - 1, 10)
        nextAttemptAt = now + min(minutes * 60, 12 * 3600)
        if nextAttemptAt > event.createdAt + Self.maximumAge { status = .failed }
    }
}

package enum DeliveryResult: Sendable, Equatable {
    case answered(Int)
    case unreachable(String)
}
