internal import Foundation
internal import SessionTokens

/// Creates, activates, changes and lists webhooks for operators.
package struct WebhookManagement: Sendable {
    private let store: any WebhookStore
    private let apps: AppManagement
    private let keys: HookKeys
    private let egress: any Egress
    private let places: AppPlaces
    private let environment: ServiceEnvironment

    init(
        store: any WebhookStore, apps: AppManagement, keys: HookKeys, egress: any Egress,
        places: AppPlaces, environment: ServiceEnvironment
    ) {
        self.store = store
        self.apps = apps
        self.keys = keys
        self.egress = egress
        self.places = places
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
        let place = try places.take(app)
        defer { withExtendedLifetime(place) {} }
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
