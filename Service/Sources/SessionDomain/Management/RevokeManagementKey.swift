/// Deletes a management key, the keys that it created, the keys that those created, and so on. Returns their ids.
///
/// A configured key is not stored. Its id deletes what it created.
package struct RevokeManagementKey: Intent {
    package let id: String
    /// Keys of another app are unknown. `nil`: every key can be revoked.
    package let appID: AppID?
    /// Reports the revocation of each key.
    package let events: EventFactory?

    package init(id: String, app: AppID? = nil, events: EventFactory? = nil) {
        self.id = id
        appID = app
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: nil) { $0.managementKeys = true } }

    package func decide(_ facts: Facts) -> Decision<[String]> {
        if let appID, !facts.managementKeys.contains(where: { $0.id == id && $0.appID == appID }) {
            return Decision([])
        }
        let revoked = ManagementKeyTree(facts.managementKeys).descendants(of: id)
        let keys = facts.managementKeys.filter { revoked.contains($0.id) }
        return Decision(
            keys.map(\.id), keys.map { .deleteManagementKey($0) } + keys.flatMap { events?.revoked($0) ?? [] })
    }
}
