internal import Foundation
internal import SessionTokens

/// Creates, activates, changes and lists webhooks for operators.
package struct WebhookManagement: Sendable {
    private let store: any WebhookStore
    private let apps: AppManagement
    private let keys: HookKeys
    private let egress: any Egress
    private let slots: AppSlots
    private let environment: ServiceEnvironment

    init(
        store: any WebhookStore, apps: AppManagement, keys: HookKeys, egress: any Egress,
        slots: AppSlots, environment: ServiceEnvironment
    ) {
        self.store = store
        self.apps = apps
        self.keys = keys
        self.egress = egress
        self.slots = slots
        self.environment = environment
    }

    /// Adds a webhook. It is inactive until `activate`.
    ///
    /// - Parameter events: `nil` or empty means the standard events.
    package func create(url: String, events: [String]?, app: AppID) async throws -> Webhook {
        _ = try await apps.app(app)
        try validate(url: url)
        let now = environment.now()
        let webhook = Webhook(
            id: environment.newID("web"), appID: app, url: url, events: try Self.names(events),
            verificationToken: Base64URL.encode(environment.randomBytes(24)), createdAt: now, updatedAt: now)
        guard try await store.perform(CreateWebhook(webhook, events: audit(app))) else {
            throw Refusal.conflict("an app has at most \(Webhook.maximumPerApp) webhooks")
        }
        // The key is published well before it signs the first request.
        try await keys.ensure(app: app)
        return webhook
    }

    package func webhooks(app: AppID) async throws -> [Webhook] { try await store.webhooks(app: app) }

    package func webhook(_ id: String, app: AppID) async throws -> Webhook {
        guard let webhook = try await store.webhook(id, app: app) else {
            throw Refusal.notFound("there is no such webhook")
        }
        return webhook
    }

    /// Replaces url and events. A new url has to be activated again.
    package func replace(_ id: String, url: String, events: [String]?, app: AppID) async throws -> Webhook {
        try validate(url: url)
        _ = try await webhook(id, app: app)
        let intent = ReplaceWebhook(
            id, app: app, url: url, events: try Self.names(events), now: environment.now(), audit: audit(app))
        guard let webhook = try await store.perform(intent) else {
            throw Refusal.notFound("there is no such webhook")
        }
        try await endDeliveries(of: id, app: app)
        return webhook
    }

    /// Fails what is pending for an inactive webhook, in short transactions.
    private func endDeliveries(of id: String, app: AppID) async throws {
        while try await store.perform(EndDeliveries(of: id, app: app)) {}
    }

    /// Deletes a webhook with its deliveries: all but the last ones in short transactions before that.
    package func delete(_ id: String, app: AppID) async throws {
        while try await store.hasDeliveries(of: id, app: app, moreThan: EndDeliveries.batchSize) {
            _ = try await store.perform(EmptyWebhook(id, app: app, now: environment.now()))
        }
        guard try await store.perform(DeleteWebhook(id, app: app, events: audit(app))) else {
            throw Refusal.notFound("there is no such webhook")
        }
    }

    /// Newest first.
    package func deliveries(of id: String, app: AppID, limit: Int, offset: Int) async throws -> [WebhookDelivery] {
        try PageLimit.check(limit, .offset(offset))
        _ = try await webhook(id, app: app)
        return try await store.deliveries(of: id, app: app, limit: limit, offset: offset)
    }

    /// Newest first.
    ///
    /// - Parameter cursor: The id of an event. The page begins after its delivery.
    /// - Returns: A page, and the cursor of the next one. `nil`: it is the last page.
    /// - Throws: `Refusal.invalidField("cursor")` for an event that the webhook has no delivery of.
    package func deliveries(
        of id: String, app: AppID, limit: Int, offset: Int, cursor: String?
    ) async throws -> (deliveries: [WebhookDelivery], next: String?) {
        try PageLimit.check(limit, .offset(offset))
        _ = try await webhook(id, app: app)
        let found: [WebhookDelivery]?
        // One delivery more than the page has shows whether there is a next page.
        if let cursor {
            found = try await store.deliveries(of: id, app: app, after: cursor, limit: limit + 1)
        } else {
            found = try await store.deliveries(of: id, app: app, limit: limit + 1, offset: offset)
        }
        guard let found else { throw Refusal.invalidField("cursor", "must be the next of an earlier response") }
        let page = Array(found.prefix(limit))
        return (page, found.count > limit ? page.last?.event.id : nil)
    }

    /// Sends an event to a webhook again, or a pending one at once, and reports it.
    ///
    /// - Throws: `Refusal.conflict` while the webhook is inactive; `.notFound` for an event that is not among the newest
    ///   `resendable` deliveries.
    package func resend(_ eventID: String, to id: String, app: AppID) async throws {
        guard try await webhook(id, app: app).status == .active else {
            throw Refusal.conflict("the webhook is not active; activate it first")
        }
        let newest = try await store.deliveries(of: id, app: app, limit: Self.resendable, offset: 0)
        guard let delivery = newest.first(where: { $0.event.id == eventID }) else {
            throw Refusal.notFound("the event is not among the newest \(Self.resendable) deliveries of the webhook")
        }
        try await store.perform(ResendDelivery(delivery, now: environment.now(), events: audit(app)))
    }

    /// The newest deliveries of a webhook that can be sent again.
    private static let resendable = 1000

    private struct ActivationAnswer: Decodable { let challenge: Int64 }

    /// Asks the endpoint to confirm that it wants the events. It must repeat a random number.
    ///
    /// - Throws: `Refusal.invalidField("url")` with what the endpoint did instead.
    package func activate(_ id: String, app: AppID) async throws -> Webhook {
        let webhook = try await webhook(id, app: app)
        let slot = try slots.take(app)
        defer { withExtendedLifetime(slot) {} }
        let challenge = environment.randomBytes(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let answer: EgressAnswer
        do {
            answer = try await egress.send(
                EgressRequest(
                    .get, Self.activationURL(webhook, challenge: challenge),
                    headers: [("User-Agent", WebhookOutbox.agent), ("Accept", "application/json")],
                    timeout: WebhookOutbox.timeout))
        } catch {
            throw Refusal.invalidField("url", "could not be activated: \(error.summary)")
        }
        guard answer.status == 200 else {
            throw Refusal.invalidField("url", "could not be activated: the endpoint answered \(answer.status)")
        }
        guard (try? TokenJSON.decode(ActivationAnswer.self, from: answer.body))?.challenge == challenge else {
            throw Refusal.invalidField("url", "could not be activated: the endpoint must answer {\"challenge\": <int>}")
        }
        // A replacement that was interrupted has not ended all of them.
        try await endDeliveries(of: id, app: app)
        let intent = ActivateWebhook(
            id, app: app, url: webhook.url, now: environment.now(), events: audit(app))
        guard let activated = try await store.perform(intent) else {
            throw Refusal.conflict("the webhook was changed meanwhile")
        }
        return activated
    }

    private static func activationURL(_ webhook: Webhook, challenge: Int64) -> String {
        let query = [
            "event=activate", "verification_token=\(webhook.verificationToken)", "challenge=\(challenge)",
            "app_id=\(webhook.appID)",
        ].joined(separator: "&")
        return webhook.url + (webhook.url.contains("?") ? "&" : "?") + query
    }

    private func audit(_ app: AppID) -> EventFactory { EventFactory(appID: app, environment: environment) }

    private func validate(url: String) throws(Refusal) { try egress.check(url, field: "url") }

    private static func names(_ events: [String]?) throws(Refusal) -> [String] {
        guard let events, !events.isEmpty else { return Webhook.standardEvents.map(\.rawValue) }
        let known = Set((Webhook.standardEvents + Webhook.furtherEvents).map(\.rawValue))
        guard events.count <= known.count, events.allSatisfy(known.contains) else {
            let unknown = events.first { !known.contains($0) } ?? ""
            let similar = SimilarName.of(unknown, in: known).map { "; did you mean \($0)?" } ?? ""
            throw .invalidField(
                "events", "must be some of the names in docs/webhooks.md, such as user.created, each once" + similar)
        }
        return Array(Set(events)).sorted()
    }
}

/// Adds a webhook. Returns `false` if the app has `Webhook.maximumPerApp`.
package struct CreateWebhook: Intent {
    package let webhook: Webhook
    /// Reports the creation.
    package let events: EventFactory?

    package init(_ webhook: Webhook, events: EventFactory? = nil) {
        self.webhook = webhook
        self.events = events
    }

    package var reads: Read<Int> { Read(app: webhook.appID, .webhookCount) }

    package func decide(_ count: Int) -> Decision<Bool> {
        guard count < Webhook.maximumPerApp else { return Decision(false) }
        let event = events.map { [Change.append($0.webhook(.webhookCreated, webhook))] } ?? []
        return Decision(true, [.insertWebhook(webhook, expectedCount: count)] + event)
    }
}

/// Replaces url and events of a webhook. Returns `nil` for an unknown webhook.
///
/// Another url has to be activated again. What is pending for the old url fails: up to `EndDeliveries.batchSize` here, and the
/// rest by `EndDeliveries`.
package struct ReplaceWebhook: Intent {
    package let id: String
    package let appID: AppID
    package let url: String
    package let events: [String]
    package let now: Timestamp
    /// Reports the change.
    package let audit: EventFactory?

    package init(
        _ id: String, app: AppID, url: String, events: [String], now: Timestamp, audit: EventFactory? = nil
    ) {
        self.id = id
        appID = app
        self.url = url
        self.events = events
        self.now = now
        self.audit = audit
    }

    package var reads: Read<Webhook?> { Read(app: appID, .webhook(id)) }

    package func decide(_ webhook: Webhook?) -> Decision<Webhook?> {
        guard let webhook else { return Decision(nil) }
        var next = webhook
        if webhook.url != url { next.status = .inactive }
        next.url = url
        next.events = events
        next.updatedAt = now
        let ended = Change.failPendingDeliveries(
            of: webhook, error: EndDeliveries.reason, limit: EndDeliveries.batchSize)
        let failed = next.status == .active ? [] : [ended]
        let event = audit?.webhookUpdated(webhook, to: next).map { [Change.append($0)] } ?? []
        return Decision(next, failed + [.replaceWebhook(webhook, with: next)] + event)
    }
}

/// Makes a webhook active, if it still has the url that confirmed the activation. Returns `nil` otherwise.
package struct ActivateWebhook: Intent {
    package let id: String
    package let appID: AppID
    package let url: String
    package let now: Timestamp
    /// Reports the activation.
    package let events: EventFactory?

    package init(_ id: String, app: AppID, url: String, now: Timestamp, events: EventFactory? = nil) {
        self.id = id
        appID = app
        self.url = url
        self.now = now
        self.events = events
    }

    package var reads: Read<Webhook?> { Read(app: appID, .webhook(id)) }

    package func decide(_ webhook: Webhook?) -> Decision<Webhook?> {
        guard let webhook, webhook.url == url else { return Decision(nil) }
        var next = webhook
        next.status = .active
        next.updatedAt = now
        let event = events.map { [Change.append($0.webhook(.webhookActivated, webhook))] } ?? []
        return Decision(next, [.replaceWebhook(webhook, with: next)] + event)
    }
}

/// Makes a webhook inactive and deletes deliveries of it, so that its deletion is a short transaction. Returns `false` for an
/// unknown webhook.
package struct EmptyWebhook: Intent {
    package let id: String
    package let appID: AppID
    package let now: Timestamp
    package let limit: Int

    package init(_ id: String, app: AppID, now: Timestamp, limit: Int = EndDeliveries.batchSize) {
        self.id = id
        appID = app
        self.now = now
        self.limit = limit
    }

    package var reads: Read<Webhook?> { Read(app: appID, .webhook(id)) }

    package func decide(_ webhook: Webhook?) -> Decision<Bool> {
        guard let webhook else { return Decision(false) }
        var next = webhook
        next.status = .inactive
        next.updatedAt = now
        let stop: [Change] = webhook.status == .active ? [.replaceWebhook(webhook, with: next)] : []
        return Decision(true, stop + [.deleteDeliveries(of: webhook, limit: limit)])
    }
}

/// Deletes a webhook with its deliveries. Returns `false` for an unknown webhook.
package struct DeleteWebhook: Intent {
    package let id: String
    package let appID: AppID
    /// Reports the deletion.
    package let events: EventFactory?

    package init(_ id: String, app: AppID, events: EventFactory? = nil) {
        self.id = id
        appID = app
        self.events = events
    }

    package var reads: Read<Webhook?> { Read(app: appID, .webhook(id)) }

    package func decide(_ webhook: Webhook?) -> Decision<Bool> {
        guard let webhook else { return Decision(false) }
        let event = events.map { [Change.append($0.webhook(.webhookDeleted, webhook))] } ?? []
        return Decision(true, [.deleteWebhook(webhook)] + event)
    }
}

/// Fails pending deliveries of an inactive webhook. Returns whether there were any: then more may be pending.
///
/// A webhook whose endpoint was away for days has more of them than one transaction can change in the time that it may take.
/// An inactive webhook gets no further deliveries, so repeating this comes to an end.
package struct EndDeliveries: Intent {
    package let id: String
    package let appID: AppID
    package let limit: Int

    package init(of id: String, app: AppID, limit: Int = Self.batchSize) {
        self.id = id
        appID = app
        self.limit = limit
    }

    /// Deliveries that one transaction ends or deletes.
    package static let batchSize = 2000
    static let reason = "the webhook was changed"

    package struct Facts: Sendable {
        let webhook: Webhook?
        let dueDeliveries: [WebhookDelivery]
    }

    package var reads: Read<Facts> {
        Read(
            app: appID, .webhook(id), .dueDeliveries(at: Timestamp(milliseconds: .max), limit: 1), as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let webhook = facts.webhook, webhook.status == .inactive, !facts.dueDeliveries.isEmpty else {
            return Decision(false)
        }
        return Decision(true, [.failPendingDeliveries(of: webhook, error: Self.reason, limit: limit)])
    }
}

/// Makes a delivery due now, whatever became of it.
///
/// The worker writes only pending deliveries that are due. So every other one can be written without a guard: two operators
/// who do it at once write the same.
package struct ResendDelivery: Intent {
    package let delivery: WebhookDelivery
    package let now: Timestamp
    /// Reports the request.
    package let events: EventFactory

    package init(_ delivery: WebhookDelivery, now: Timestamp, events: EventFactory) {
        self.delivery = delivery
        self.now = now
        self.events = events
    }

    package var reads: Read<Void> { Read(app: delivery.event.appID) }

    /// - Throws: `Refusal.conflict` if the worker may have the delivery now.
    package func decide(_: Void) throws -> Decision<Void> {
        guard delivery.status != .pending || delivery.nextAttemptAt > now + WebhookOutbox.lease else {
            throw Refusal.conflict("the event is being sent, or will be within a minute")
        }
        var next = delivery
        if delivery.status != .pending { next.attempts = 0 }
        next.status = .pending
        next.nextAttemptAt = now
        next.deliveredAt = nil
        return Decision((), [.recordDelivery(next, onlyIfPending: false), .append(events.resent(delivery))])
    }
}
