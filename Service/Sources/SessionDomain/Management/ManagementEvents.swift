internal import SessionTokens

/// Events of changes that operators make. Their names are `management.<resource>.<action>`.
///
/// A change that has an event of its own, such as `user.created`, gets no second one: its context names the operator's key.
extension Event.Name {
    package static let appCreated = Event.Name(rawValue: "management.app.created")
    package static let appUpdated = Event.Name(rawValue: "management.app.updated")
    package static let sessionsRevoked = Event.Name(rawValue: "management.sessions.revoked")
    package static let managementKeyCreated = Event.Name(rawValue: "management.key.created")
    package static let managementKeyRevoked = Event.Name(rawValue: "management.key.revoked")
    package static let developmentTokenIssued = Event.Name(rawValue: "management.token.created")
    package static let webhookCreated = Event.Name(rawValue: "management.webhook.created")
    package static let webhookUpdated = Event.Name(rawValue: "management.webhook.updated")
    package static let webhookActivated = Event.Name(rawValue: "management.webhook.activated")
    package static let webhookResent = Event.Name(rawValue: "management.webhook.resent")
    package static let consoleSignedIn = Event.Name(rawValue: "management.console.signed_in")
    package static let consoleSignedOut = Event.Name(rawValue: "management.console.signed_out")
    package static let consoleConfirmed = Event.Name(rawValue: "management.console.confirmed")
    package static let consoleConfirmationFailed = Event.Name(rawValue: "management.console.confirmation_failed")
    package static let deliveryTested = Event.Name(rawValue: "management.delivery.tested")
    package static let userExported = Event.Name(rawValue: "management.user.exported")
    package static let eventsExported = Event.Name(rawValue: "management.events.exported")
    package static let webhookDeleted = Event.Name(rawValue: "management.webhook.deleted")
}

extension EventFactory {
    func appCreated(_ app: App) -> Event {
        make(.appCreated, ["settings": .object(AuditedSettings(app).values)])
    }

    /// Returns `nil` if no setting differs.
    func appUpdated(_ old: App, to new: App) -> Event? {
        let changes = AuditedSettings(old).changes(to: AuditedSettings(new))
        return changes.isEmpty ? nil : make(.appUpdated, ["changes": .object(changes)])
    }

    /// Reports a new management key, in the app that it is valid for.
    ///
    /// - Parameter old: The key that a rotation replaces by it.
    func created(_ key: ManagementKey, replacing old: ManagementKey? = nil) -> [Change] {
        let replaced: [String: JSONValue] = old.map { ["replaces": .string($0.id)] } ?? [:]
        return [.append(managementKey(.managementKeyCreated, key, replaced))]
    }

    func revoked(_ key: ManagementKey) -> [Change] { [.append(managementKey(.managementKeyRevoked, key))] }

    private func managementKey(
        _ name: Event.Name, _ key: ManagementKey, _ more: [String: JSONValue] = [:]
    ) -> Event {
        var data: [String: JSONValue] = [
            "key_id": .string(key.id), "name": .string(key.name), "role": .string(key.role.rawValue),
        ]
        if let expiresAt = key.expiresAt { data["expires_at"] = .string(expiresAt.rfc3339) }
        return of(key.appID ?? .service).make(name, data.merging(more) { first, _ in first })
    }

    func webhook(_ name: Event.Name, _ webhook: Webhook) -> Event {
        make(name, ["webhook_id": .string(webhook.id)].merging(webhook.audited) { first, _ in first })
    }

    func resent(_ delivery: WebhookDelivery) -> Event {
        make(
            .webhookResent,
            ["webhook_id": .string(delivery.webhookID), "event_id": .string(delivery.event.id)])
    }

    /// Reports a test message. The recipient is masked, as in events about codes.
    func deliveryTested(_ message: DeliveryTestMessage, routes: [String]) -> Event {
        make(
            .deliveryTested,
            [
                "channel": .string(message.channel.rawValue), "identifier": .string(message.to.masked),
                "routes": .array(routes.map(JSONValue.string)),
            ])
    }

    /// Returns `nil` if neither url nor events differ.
    func webhookUpdated(_ old: Webhook, to new: Webhook) -> Event? {
        guard old.url != new.url || old.events != new.events else { return nil }
        let (before, after) = (old.audited, new.audited)
        return make(
            .webhookUpdated,
            ["webhook_id": .string(old.id), "before": .object(before), "after": .object(after)])
    }
}

extension Webhook {
    /// What events report of a webhook: the origin of its url, and its events.
    fileprivate var audited: [String: JSONValue] {
        [
            "url": AuditedSettings.origin(of: url).map(JSONValue.string) ?? AuditedSettings.hidden,
            "events": .array(events.map(JSONValue.string)),
        ]
    }
}
