/// A URL of an operator that receives events.
package struct Webhook: Sendable, Equatable, Identifiable {
    package enum Status: String, Sendable, Codable {
        /// The endpoint has not confirmed the activation yet.
        case inactive
        case active
    }

    /// `web_` and a ULID.
    package let id: String
    package let appID: AppID
    package var url: String
    /// Names of the events that are sent.
    package var events: [String]
    package var status: Status
    /// Sent with the activation request, so that the endpoint can recognize it.
    package let verificationToken: String
    package let createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(
        id: String, appID: AppID, url: String, events: [String], status: Status = .inactive,
        verificationToken: String, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        self.id = id
        self.appID = appID
        self.url = url
        self.events = events
        self.status = status
        self.verificationToken = verificationToken
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// Maximum number of webhooks of an app.
    package static let maximumPerApp = 10

    /// The events of a webhook whose operator names none.
    package static let standardEvents: [Event.Name] = [
        .userCreated, .userDeleted, .profileUpdated, .identifierCreated, .identifierDeleted, .sessionCreated,
        .sessionRevoked, .stepUpHookFailed, .passkeyRegistered, .passkeyDeleted,
    ]

    /// Events that are sent only if the operator names them.
    package static let furtherEvents: [Event.Name] = [
        .userStatusChanged, .limitsCleared, .passwordChanged, .passkeyCounterLowered, .stepUpGranted,
        .refreshTokenReused, .sessionRecovered,
        .migrationHookFailed, .sendHookFailed, .signingKeyRotated, .signingKeyRemoved, .signingKeyResealed,
        .externalIDUpdated,
        .loginFailed, .loginLimited, .loginsVoided, .codeSent, .codeFailed, .noticeSent, .noticeFailed, .appUpdated,
        .sessionsRevoked,
        .managementKeyCreated, .managementKeyRevoked, .webhookCreated, .webhookUpdated, .webhookActivated,
        .webhookDeleted, .webhookResent, .consoleSignedIn, .consoleSignedOut, .consoleConfirmed,
        .consoleConfirmationFailed, .deliveryTested, .userExported, .eventsExported, .developmentTokenIssued,
    ]
}

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

/// The events that webhooks have not received yet. An item is a batch of events for one webhook, with ids by which
/// receivers recognize repeats.
package struct WebhookOutbox: Outbox {
    private let store: any WebhookStore
    private let directory: AppDirectory
    private let call: HookCall
    private let environment: ServiceEnvironment

    static let agent = "Prelude-SessionWebhook/1.0"
    static let signaturePrefix = "rsassa-pss-sha256="
    /// Seconds to wait for the answer of an endpoint.
    static let timeout = 10
    /// Seconds for which claimed deliveries are reserved. It is longer than a request can take.
    static let lease = 60
    /// Maximum number of events per request.
    static let batchSize = 100
    package static let kind = OutboxKind.webhooks
    package static let width = 1
    package static let capacity = 32
    /// Receivers recognize a repeated event, so the end of the process waits for no endpoint.
    package static let grace = 0

    init(store: any WebhookStore, directory: AppDirectory, call: HookCall, environment: ServiceEnvironment) {
        self.store = store
        self.directory = directory
        self.call = call
        self.environment = environment
    }

    /// Events for a webhook, as it was when they were claimed.
    package struct Batch: Sendable {
        let webhook: Webhook
        let deliveries: [WebhookDelivery]
    }

    package func due(at now: Timestamp) async throws -> [(queue: Webhook, count: Int)] {
        try await store.dueWebhooks(now: now).map { ($0, 1) }
    }

    package func claim(in webhook: Webhook, at now: Timestamp) async throws -> Batch? {
        let deliveries = try await store.perform(
            ClaimDeliveries(of: webhook, now: now, leaseEnd: now + Self.lease, limit: Self.batchSize))
        guard let first = deliveries.first else { return nil }
        if first.attempts == 0 {
            let lag = now.seconds(since: first.event.createdAt)
            environment.observer.observe(.outboxClaimed(.webhooks, lag: lag))
        }
        return Batch(webhook: webhook, deliveries: deliveries)
    }

    package func deliver(_ batch: Batch) async throws -> Bool {
        let result = try await post(batch.deliveries.map(\.event), to: batch.webhook)
        let answeredAt = environment.now()
        try await store.perform(RecordDeliveries(batch.deliveries.map { $0.tried(result, at: answeredAt) }))
        // After a failure, further requests wait for the next attempt.
        return result == .answered(200) && batch.deliveries.count == Self.batchSize
    }

    private struct Body: Encodable {
        let appID: String
        let events: [EventBody]

        private enum CodingKeys: String, CodingKey {
            case events
            case appID = "app_id"
        }
    }

    private func post(_ events: [Event], to webhook: Webhook) async throws -> DeliveryResult {
        let body = Body(appID: webhook.appID.rawValue, events: events.map(EventBody.init))
        do {
            let answer = try await call.post(
                body, to: webhook.url, agent: Self.agent, prefix: Self.signaturePrefix, timeout: Self.timeout,
                app: try await directory.app(webhook.appID))
            return .answered(answer.status)
        } catch let error as EgressError {
            return .unreachable(error.summary)
        }
    }
}

/// Takes deliveries of a webhook that are due, if it is still active at this url.
///
/// They are postponed to `leaseEnd`, so that no other worker takes them, and none is lost if the process ends.
package struct ClaimDeliveries: Intent {
    package let webhook: Webhook
    package let now: Timestamp
    package let leaseEnd: Timestamp
    package let limit: Int

    package init(of webhook: Webhook, now: Timestamp, leaseEnd: Timestamp, limit: Int) {
        self.webhook = webhook
        self.now = now
        self.leaseEnd = leaseEnd
        self.limit = limit
    }

    package struct Facts: Sendable {
        let webhook: Webhook?
        let dueDeliveries: [WebhookDelivery]
    }

    package var reads: Read<Facts> {
        Read(app: webhook.appID, .webhook(webhook.id), .dueDeliveries(at: now, limit: limit), as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<[WebhookDelivery]> {
        guard let stored = facts.webhook, stored.status == .active, stored.url == webhook.url else {
            return Decision([])
        }
        return Decision(facts.dueDeliveries, facts.dueDeliveries.map { .leaseDelivery($0, until: leaseEnd) })
    }
}

/// Stores the results of attempts to deliver.
///
/// An attempt can fail after an operator has changed the webhook, which ends what is pending. A failure must not make such a
/// delivery pending again: it would go to the new URL, whose owner may be another one.
package struct RecordDeliveries: Intent {
    package let deliveries: [WebhookDelivery]

    package init(_ deliveries: [WebhookDelivery]) { self.deliveries = deliveries }

    package var reads: Read<Void> { Read(app: deliveries.first?.event.appID) }

    package func decide(_: Void) -> Decision<Void> {
        Decision((), deliveries.map { .recordDelivery($0, onlyIfPending: $0.status != .delivered) })
    }
}
