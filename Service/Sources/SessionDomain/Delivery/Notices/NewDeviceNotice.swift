/// The notice of a login from a device on which the user has not signed in before.
package struct NewDeviceNotice: Sendable {
    private let notices: NoticeFactory
    private let provenBy: IdentifierDigest?

    package init(_ notices: NoticeFactory, provenBy: IdentifierDigest?) {
        self.notices = notices
        self.provenBy = provenBy
    }

    /// - Parameter device: The device of the new session.
    func changes(_ device: Device, to user: User, _ facts: Facts, at now: Timestamp) -> [Change] {
        notices.changes(.newDevice(device, provenBy: provenBy), to: user, facts, at: now)
    }
}

extension ChallengeClaims {
    /// - Returns: `nil` for a known device, for a user whom the login created, and for a migration: its device has been
    ///   signed in to the earlier system.
    func newDeviceNotice(from app: App, environment: ServiceEnvironment) -> NewDeviceNotice? {
        guard isKnownDevice != true, isNewUser != true, method != .migration else { return nil }
        return NewDeviceNotice(NoticeFactory(app, environment: environment), provenBy: provenIdentifier)
    }
}
