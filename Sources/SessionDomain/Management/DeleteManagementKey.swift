/// Deletes a management key. Returns `false` if it does not exist.
package struct DeleteManagementKey: Intent {
    package let id: String
    /// Reports the revocation.
    package let events: EventFactory?

    package init(id: String, events: EventFactory? = nil) {
        self.id = id
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: nil) { $0.managementKey = id } }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let key = facts.managementKey else { return Decision(false) }
        let event = events?.of(key.appID ?? .service).managementKey(.managementKeyRevoked, key)
        return Decision(true, [.deleteManagementKey(key)] + (event.map { [.append($0)] } ?? []))
    }
}
