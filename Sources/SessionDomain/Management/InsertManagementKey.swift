/// Inserts a management key.
package struct InsertManagementKey: Intent {
    package let key: ManagementKey
    /// Whether a stored key with the same secret is an error. If not, nothing is written.
    package let mustBeNew: Bool

    package init(_ key: ManagementKey, mustBeNew: Bool) {
        self.key = key
        self.mustBeNew = mustBeNew
    }

    package var facts: FactQuery { FactQuery(app: nil) }

    package func decide(_ facts: Facts) throws -> Decision<Void> {
        guard !facts.isTaken(.managementKey(hash: key.hash)) else {
            if mustBeNew { throw StoreError.unavailable("a management key with this secret exists") }
            return Decision(())
        }
        return Decision((), [.insertManagementKey(key)])
    }
}
