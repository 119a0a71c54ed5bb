#if canImport(Security)
    public import Foundation

    /// Keeps credentials in the Keychain: readable after the first unlock since the device's start, on this device only.
    ///
    /// Before the first unlock its calls throw `.storageUnavailable`. The next call tries again.
    public struct KeychainCredentialStore: CredentialStore {
        private let records: KeychainRecords

        /// Creates a store in the data protection Keychain.
        ///
        /// - Parameters:
        ///   - service: The items' `kSecAttrService`.
        ///   - accessGroup: An access group in the app's entitlements, to share the session with its extensions. `nil` is
        ///     the app's first access group.
        ///   - lockDirectory: The directory of the lock files. `nil` is the app's caches directory. Processes that share a
        ///     session must pass the same directory in the container of their app group. iOS terminates an app that it
        ///     suspends while the app holds a lock there (`0xDEAD10CC`), so run calls that may outlast the foreground in
        ///     a background task. Even then the session is not lost: the server repeats the lost response.
        public init(service: String = "prelude-session", accessGroup: String? = nil, lockDirectory: URL? = nil) {
            records = KeychainRecords(
                items: SecurityKeychainItems(service: service, accessGroup: accessGroup),
                lock: FileLock(directory: (lockDirectory?.path ?? Self.caches) + "/" + FileLock.fileName(for: service)))
        }

        private static var caches: String {
            // Without a sandbox all apps share one caches directory.
            let app = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
            return NSHomeDirectory() + "/Library/Caches/" + FileLock.fileName(for: app)
        }

        public func read(_ name: String) throws -> Data? { try records.read(name) }
        public func write(_ data: Data, to name: String) throws { try records.write(data, to: name) }
        public func create(_ data: Data, at name: String) throws -> Bool { try records.create(data, at: name) }
        public func delete(_ name: String) throws { try records.delete(name) }

        /// Runs the work under a lock file. A Keychain item could not be released when its process ends.
        public func withLock<Answer: Sendable>(
            _ name: String, _ work: @Sendable () async throws -> Answer
        ) async throws -> Answer {
            try await records.withLock(name, work)
        }
    }
#endif
