/// Deletes a management key. Returns `false` if it does not exist.
package struct DeleteManagementKey: Intent {
    package let id: String

    package init(id: String) { self.id = id }

    package var facts: FactQuery { FactQuery(app: nil) { $0.managementKey = id } }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let key = facts.managementKey else { return Decision(false) }
        return Decision(true, [.deleteManagementKey(key)])
    }
}
