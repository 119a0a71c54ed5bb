/// Inserts a management key.
package struct InsertManagementKey: Intent {
    package let key: ManagementKey
    /// Whether a stored key with the same secret is an error. If not, nothing is written.
    package let mustBeNew: Bool
    /// Reports the creation.
    package let events: EventFactory?

    package init(_ key: ManagementKey, mustBeNew: Bool, events: EventFactory? = nil) {
        self.key = key
        self.mustBeNew = mustBeNew
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: nil) }

    package func decide(_ facts: Facts) throws -> Decision<Void> {
        guard !facts.isTaken(.managementKey(hash: key.hash)) else {
            if mustBeNew { throw StoreError.unavailable("a management key with this secret exists") }
            return Decision(())
        }
        let event = events?.of(key.appID ?? .service).managementKey(.managementKeyCreated, key)
        return Decision((), [.insertManagementKey(key)] + (event.map { [.append($0)] } ?? []))
    }
}
