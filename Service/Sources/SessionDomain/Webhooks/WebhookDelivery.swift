/// The delivery of one event to one webhook.
package struct WebhookDelivery: Sendable, Equatable {
    package enum Status: String, Sendable, Codable {
        case pending
        case delivered
        /// Failed for two weeks, or the webhook changed. It is not tried again.
        case failed
    }

    package let webhookID: String
    package let event: Event
    package var status: Status
    package var attempts: Int
    /// When a pending delivery is due.
    package var nextAttemptAt: Timestamp
    /// The HTTP status of the last answer. `nil` without an answer.
    package var lastStatus: Int?
    /// A short text about the last failure.
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

    /// Seconds after its event for which a delivery is tried.
    package static let maximumAge = 14 * 86_400
    private static let backoff = Backoff(first: 60, maximum: 12 * 3600)

    /// The delivery after an attempt. 200 acknowledges. After any other result the next attempt is due in 1, 2, 4 …
    /// minutes, at most 12 hours.
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
        nextAttemptAt = now + Self.backoff.delay(after: attempts)
        if nextAttemptAt > event.createdAt + Self.maximumAge { status = .failed }
    }
}

package enum DeliveryResult: Sendable, Equatable {
    case answered(Int)
    case unreachable(String)
}
