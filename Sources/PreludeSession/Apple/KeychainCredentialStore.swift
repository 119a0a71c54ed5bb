#if canImport(Security)
    public import Foundation

    /// Keeps credentials in the Keychain: readable once the device was unlocked after its start, on this device only.
    ///
    /// What cannot be read now, as before the first unlock, is `storageUnavailable`, and the next call tries again.
    public struct KeychainCredentialStore: CredentialStore {
        private let records: KeychainRecords

        /// A store in the data protection keychain.
        ///
        /// - Parameters:
        ///   - service: Names the items.
        ///   - accessGroup: An access group of the app's entitlements, to share the session with its extensions; `nil`
        ///     is the app's first one.
        ///   - lockDirectory: Where the lock files are; `nil` is the app's caches. Processes that share the session
        ///     name the same one, a directory in the container of their app group, and so take turns at refreshing.
        ///     iOS ends an app that it suspends while a lock is held there (`0xDEAD10CC`), so let calls that may
        ///     outlast the foreground run in a background task. The session survives even that: the server repeats
        ///     the answer that was lost.
        public init(service: String = "prelude-session", accessGroup: String? = nil, lockDirectory: URL? = nil) {
            records = KeychainRecords(
                items: SecurityKeychainItems(service: service, accessGroup: accessGroup),
                lock: FileLock(directory: (lockDirectory?.path ?? Self.caches) + "/" + FileLock.safe(service)))
        }

        private static var caches: String {
            // The caches of an app outside a sandbox are those of all apps.
            let app = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
            return NSHomeDirectory() + "/Library/Caches/" + FileLock.safe(app)
        }

        public func read(_ name: String) throws -> Data? { try records.read(name) }
        public func write(_ data: Data, to name: String) throws { try records.write(data, to: name) }
        public func delete(_ name: String) throws { try records.delete(name) }

        /// A lock file, for no item of the Keychain is given back when a process dies.
        public func withLock<Answer: Sendable>(
            _ name: String, _ work: @Sendable () async throws -> Answer
        ) async throws -> Answer {
            try await records.withLock(name, work)
        }
    }
#endif
