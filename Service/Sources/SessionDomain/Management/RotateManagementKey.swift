/// Replaces a management key by one with another secret and the same name, app, role and expiry.
///
/// The keys that the old one created belong to the new one. The new one belongs to the key that rotates, so that
/// revoking that key ends every secret it has seen. A key that rotates itself keeps its creator. A key cannot rotate a
/// key above it: the new secret would survive the revocation of the key that has seen it.
package struct RotateManagementKey: Intent {
    package let id: String
    package let appID: AppID
    package let newID: String
    package let newHash: String
    package let creator: ManagementKey
    package let now: Timestamp
    /// Reports both keys.
    package let events: EventFactory?

    package init(
        id: String, app: AppID, newID: String, newHash: String, creator: ManagementKey, now: Timestamp,
        events: EventFactory? = nil
    ) {
        self.id = id
        appID = app
        self.newID = newID
        self.newHash = newHash
        self.creator = creator
        self.now = now
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: nil) { $0.managementKeys = true } }

    package func decide(_ facts: Facts) throws -> Decision<ManagementKeyCreation?> {
        guard !facts.isTaken(.managementKey(hash: newHash)) else {
            throw StoreError.unavailable("a management key with this secret exists")
        }
        guard creator.isValid(at: now),
            !creator.isStored || facts.managementKeys.contains(where: { $0.id == creator.id })
        else { return Decision(.creatorInvalid) }
        guard let old = facts.managementKeys.first(where: { $0.id == id && $0.appID == appID }) else {
            return Decision(nil)
        }
        let rotatesItself = old.id == creator.id
        if !rotatesItself, ManagementKeyTree(facts.managementKeys).descendants(of: old.id).contains(creator.id) {
            return Decision(.exceeds(.ancestor))
        }
        let new = ManagementKey(
            id: newID, name: old.name, appID: old.appID, hash: newHash, role: old.role,
            createdBy: rotatesItself ? old.createdBy : creator.asCreator, createdAt: now,
            expiresAt: old.expiresAt)
        if let excess = creator.excess(of: new) { return Decision(.exceeds(excess)) }
        return Decision(
            .created(new),
            [.insertManagementKey(new), .deleteManagementKey(old), .reassignManagementKeys(of: old, to: new)]
                + (events?.created(new, replacing: old) ?? []) + (events?.revoked(old) ?? []))
    }
}
