internal import SessionTokens

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
