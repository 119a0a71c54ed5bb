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
    func failure(_ verb: String) -> PreludeSessionError {
        .storageUnavailable("the keychain cannot \(verb) the credentials (OSStatus \(rawValue)): \(remedy)")
    }

    private var remedy: String {
        switch self {
        case .interactionNotAllowed:
            "the device has not been unlocked since it started; try again once it is"
        case .authFailed:
            "access was denied; unlock the device or the login keychain and try again"
        case .missingEntitlement:
            "sign the app, with the Keychain Sharing capability for the access group it names, or pass another"
                + " credentialStore, such as FileCredentialStore for a command-line tool"
        case .notAvailable: "it does not respond now; try again"
        default: "try again"
        }
    }
}
