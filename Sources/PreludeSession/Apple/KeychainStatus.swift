/// A status of the Keychain: an `OSStatus` with the names of `Security/SecBase.h`.
struct KeychainStatus: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32

    init(rawValue: Int32) { self.rawValue = rawValue }

    /// `errSecSuccess`.
    static let success = KeychainStatus(rawValue: 0)
    /// `errSecItemNotFound`: the only status that means that there is no item.
    static let itemNotFound = KeychainStatus(rawValue: -25300)
    /// `errSecDuplicateItem`.
    static let duplicateItem = KeychainStatus(rawValue: -25299)
    /// `errSecInteractionNotAllowed`: the device has not been unlocked since it started.
    static let interactionNotAllowed = KeychainStatus(rawValue: -25308)
    /// `errSecAuthFailed`.
    static let authFailed = KeychainStatus(rawValue: -25293)
    /// `errSecNotAvailable`: the Keychain's process does not respond.
    static let notAvailable = KeychainStatus(rawValue: -25291)
    /// `errSecMissingEntitlement`.
    static let missingEntitlement = KeychainStatus(rawValue: -34018)

    /// The error of a failed operation, with what to do. It never means "signed out".
    ///
    /// - Parameter isMac: Whether the system is macOS. There a missing entitlement is a mistake in the app's signature, which
    ///   does not heal by itself.
    func failure(_ verb: String, isMac: Bool = Self.isMac) -> PreludeSessionError {
        if isMac, self == .missingEntitlement {
            return .invalidConfiguration(
                """
                the app has no entitlement for the Keychain (OSStatus \(rawValue)): in Xcode, sign it with a team and \
                add the capability Keychain Sharing, or pass another credentialStore, such as PreludeFileCredentialStore for a \
                command-line tool
                """)
        }
        let text = "the keychain cannot \(verb) the credentials (OSStatus \(rawValue)): \(remedy)"
        return self == .interactionNotAllowed || self == .authFailed
            ? .deviceLocked(text) : .storageUnavailable(.init(text))
    }

    /// The error of a Keychain that does not show items that may exist.
    static func hiddenItems(_ verb: String) -> PreludeSessionError {
        .deviceLocked(
            "the keychain cannot \(verb) the credentials: it does not show its items now; unlock the device and try again"
        )
    }

    private static var isMac: Bool {
        #if os(macOS) || targetEnvironment(macCatalyst)
            true
        #else
            false
        #endif
    }

    private var remedy: String {
        switch self {
        case .interactionNotAllowed:
            "the device has not been unlocked since it started; try again once it is"
        case .authFailed:
            "access was denied; unlock the device or the login keychain and try again"
        case .missingEntitlement:
            "add the access group to the app's entitlements: the capability App Groups or Keychain Sharing"
        case .notAvailable: "it does not respond now; try again"
        default: "try again"
        }
    }
}
