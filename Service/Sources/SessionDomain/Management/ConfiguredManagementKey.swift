/// A key of the management API that the operator chose. It is valid for all apps, as long as the configuration of this
/// process names it.
package struct ConfiguredManagementKey: Sendable, Equatable {
    static let idPrefix = "mk_configured_"

    package let key: ManagementKey

    /// - Parameters:
    ///   - secret: A secret that `ChosenSecret` accepts.
    ///   - now: The start of the process.
    package init(secret: String, name: String = "configured", now: Timestamp) {
        let hash = ManagementKeys.hash(secret)
        key = ManagementKey(
            id: Self.idPrefix + hash.prefix(8), name: name, appID: nil, hash: hash, createdBy: .configuration,
            createdAt: now)
    }
}
