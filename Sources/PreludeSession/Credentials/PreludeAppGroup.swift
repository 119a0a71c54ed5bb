/// The app group in which an app and its extensions share one session.
///
/// It names the Keychain access group and the container with the lock files at once. Sharing only one of them would let two
/// processes spend the same refresh token.
public struct PreludeAppGroup: Sendable, Hashable {
    /// The app group's identifier, such as `group.com.example.app`.
    public let identifier: String
    /// The access group of the Keychain items.
    public let accessGroup: String

    /// Names an app group in the entitlements of the app and of each extension.
    ///
    /// - Parameters:
    ///   - identifier: The identifier in the capability App Groups, such as `group.com.example.app`.
    ///   - accessGroup: A Keychain access group in the entitlements of the same processes. `nil` is the app group, which is
    ///     an access group, too. Pass one if the items must stay in an existing group of the capability Keychain Sharing.
    public init(_ identifier: String, accessGroup: String? = nil) {
        self.identifier = identifier
        self.accessGroup = accessGroup ?? identifier
    }

    /// - Parameter container: The group's container, as the system found it.
    /// - Throws: `.invalidConfiguration` for a blank identifier, or when the system has no container for this process.
    func checked(container: String?) throws -> String {
        try PreludeSessionError.rejectBlank(identifier, "the identifier of the app group")
        try PreludeSessionError.rejectBlank(accessGroup, "the access group of the app group")
        guard let container else {
            throw PreludeSessionError.invalidConfiguration(
                """
                the app group \(identifier) is not in the entitlements of this process: in Xcode, add it to the \
                capability App Groups of the app and of each extension
                """)
        }
        return container
    }
}
