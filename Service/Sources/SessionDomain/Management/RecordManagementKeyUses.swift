/// Stores when management keys were last used.
package struct RecordManagementKeyUses: Intent {
    /// The times by the ids of the keys.
    package let uses: [String: Timestamp]

    package init(_ uses: [String: Timestamp]) { self.uses = uses }

    package var facts: FactQuery { FactQuery(app: nil) }

    package func decide(_ facts: Facts) -> Decision<Void> {
        Decision((), uses.sorted { $0.key < $1.key }.map { .recordManagementKeyUse(id: $0.key, at: $0.value) })
    }
}
