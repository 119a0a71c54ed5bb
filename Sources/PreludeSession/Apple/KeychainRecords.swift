internal import Foundation

/// Keeps records as Keychain items. It decides what each status means, and retries concurrent writes.
///
/// A missing item is a missing record only when the Keychain shows its items (`KeychainMarker`).
struct KeychainRecords: PreludeCredentialStore {
    let items: any KeychainItems
    let lock: FileLock

    private var marker: KeychainMarker { KeychainMarker(items: items) }

    func read(_ name: String) throws -> Data? {
        if let data = try item(name) { return data }
        try marker.check("read")
        // Again: the device may have been unlocked after the first look-up.
        return try item(name)
    }

    private func item(_ name: String) throws -> Data? {
        let (status, data) = items.copy(name)
        switch status {
        // A success without data is an error of the Keychain and does not mean that there is no record.
        case .success where data != nil: return data
        case .itemNotFound: return nil
        default: throw status.failure("read")
        }
    }

    /// Updates or adds the item. It starts again if another process adds or deletes the item in between.
    ///
    /// It never deletes first: a process that is killed in between would lose its session.
    func write(_ data: Data, to name: String) throws {
        var status = KeychainStatus.itemNotFound
        // Each failed round means that another process succeeded, so a few rounds suffice.
        for _ in 0..<4 {
            status = items.update(name, data)
            if status == .itemNotFound { status = items.add(name, data) }
            guard status == .duplicateItem else { break }
        }
        guard status == .success else { throw status.failure("write") }
    }

    func create(_ data: Data, at name: String) throws -> Bool {
        let status = items.add(name, data)
        if status == .duplicateItem { return false }
        guard status == .success else { throw status.failure("create") }
        return true
    }

    func delete(_ name: String) throws {
        var status = items.delete(name)
        if status == .itemNotFound {
            // A hidden item returns after the unlock, and a signed-out user would be signed in again.
            try marker.check("delete")
            status = items.delete(name)
        }
        guard status == .success || status == .itemNotFound else { throw status.failure("delete") }
    }

    func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await lock.with(name, work)
    }
}

/// An item that shows whether the Keychain shows items at all.
///
/// A process that the system starts before the first unlock since the device's start ("prewarmed") can get "not found" for
/// items that exist. UIKit's `isProtectedDataAvailable` is not available to extensions, and a file would show the state of
/// another service than the Keychain. The marker has the class, the service and the access group of the records. So the
/// Keychain shows or hides all of them. It is added by the first look-up of a missing record, and never deleted. Nothing can
/// be added before the first unlock.
struct KeychainMarker: Sendable {
    let items: any KeychainItems

    /// No record has this name: the names of records begin with a host and contain a dot.
    static let account = "protected-data-is-available"

    /// Returns when the Keychain shows its items. They stay visible until the device restarts.
    ///
    /// - Throws: `.storageUnavailable` when it may hide items.
    func check(_ verb: String) throws {
        guard try !isVisible(verb) else { return }
        let added = items.add(Self.account, Data([1]))
        // A duplicate is either hidden, or another process has just added it.
        guard added == .success || added == .duplicateItem else { throw added.failure(verb) }
        guard try isVisible(verb) else { throw KeychainStatus.hiddenItems(verb) }
    }

    private func isVisible(_ verb: String) throws -> Bool {
        switch items.copy(Self.account).status {
        case .success: return true
        case .itemNotFound: return false
        case let status: throw status.failure(verb)
        }
    }
}

/// The Keychain's calls for the generic passwords of one service, with Security's status codes.
///
/// It is not behind `#if`, so that the decisions about status codes are tested on every system.
protocol KeychainItems: Sendable {
    /// `SecItemCopyMatching`: the item's data if the status is a success.
    func copy(_ account: String) -> (status: KeychainStatus, data: Data?)
    /// `SecItemAdd`: fails for an existing account.
    func add(_ account: String, _ data: Data) -> KeychainStatus
    /// `SecItemUpdate`: fails for a missing account.
    func update(_ account: String, _ data: Data) -> KeychainStatus
    /// `SecItemDelete`: fails for a missing account.
    func delete(_ account: String) -> KeychainStatus
}

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
        let text = "the keychain cannot \(verb) the credentials (OSStatus \(rawValue)): \(advice)"
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

    private var advice: String {
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
