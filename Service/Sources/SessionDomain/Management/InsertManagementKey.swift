/// Inserts a management key, if the key that creates it is still valid and the app has fewer than the maximum.
package struct InsertManagementKey: Intent {
    package let key: ManagementKey
    /// The id of the stored key that creates this one. `nil`: the command line, a configured key or an
    /// operator does.
    package let creatorID: String?
    /// Reports the creation.
    package let events: EventFactory?

    package init(_ key: ManagementKey, creatorID: String? = nil, events: EventFactory? = nil) {
        self.key = key
        self.creatorID = creatorID
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: nil) { $0.managementKeys = true } }

    package func decide(_ facts: Facts) throws -> Decision<ManagementKeyCreation> {
        guard !facts.isTaken(.managementKey(hash: key.hash)) else {
            throw StoreError.unavailable("a management key with this secret exists")
        }
        if let creatorID {
            guard let creator = facts.managementKeys.first(where: { $0.id == creatorID }),
                creator.isValid(at: key.createdAt)
            else { return Decision(.creatorInvalid) }
            if let excess = creator.excess(of: key) { return Decision(.exceeds(excess)) }
        }
        guard facts.managementKeys.count(where: { $0.appID == key.appID }) < ManagementKey.maximumPerApp else {
            return Decision(.tooMany)
        }
        return Decision(.created(key), [.insertManagementKey(key)] + (events?.created(key) ?? []))
    }
}

package enum ManagementKeyCreation: Sendable, Equatable {
    case created(ManagementKey)
    /// The key that creates was revoked or has expired.
    case creatorInvalid
    /// The new key would have a right that the key that creates it lacks.
    case exceeds(ManagementKey.Excess)
    /// `ManagementKey.maximumPerApp` keys are stored for the app, or for all apps.
    case tooMany
}
