#if canImport(Security)
    public import Foundation

    /// Keeps credentials in the Keychain: readable after the first unlock since the device's start, on this device only.
    ///
    /// Before the first unlock its calls throw `.storageUnavailable`. The next call tries again.
    public struct PreludeKeychainCredentialStore: PreludeCredentialStore {
        private let records: KeychainRecords
        /// What all processes of an app group know of the store; `nil` for a store of one app.
        private let sharedName: String?

        /// Creates a store of this app alone, in the data protection Keychain.
        ///
        /// Its items are in the app's first access group. If that is a group of Keychain Sharing that extensions or other
        /// apps have too, use ``init(service:sharedIn:)``: without common locks two processes could spend one token.
        ///
        /// - Parameter service: The items' `kSecAttrService`.
        public init(service: String = "prelude-session") {
            let app = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
            records = KeychainRecords(
                items: SecurityKeychainItems(service: service, accessGroup: nil),
                lock: FileLock(directory: AppleFolders.current.locks(ofApp: app, service: service)))
            sharedName = nil
        }

        /// Creates a store that an app shares with its extensions, or several apps of one team share.
        ///
        /// All of them must pass the same service and the same group. Its locks are in the group's container. They are held
        /// only inside an expiring activity, so the system does not terminate the app for them (`0xDEAD10CC`).
        ///
        /// - Parameters:
        ///   - service: The items' `kSecAttrService`.
        ///   - group: An app group in the entitlements of the app and of each extension.
        /// - Throws: `PreludeSessionError.invalidConfiguration` when this process has no access to the app group.
        public init(service: String = "prelude-session", sharedIn group: PreludeAppGroup) throws {
            let container = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: group.identifier)
            let directory = AppleFolders.current.locks(
                inGroup: try group.checked(container: container?.path), service: service)
            records = KeychainRecords(
                items: SecurityKeychainItems(service: service, accessGroup: group.accessGroup),
                lock: FileLock(directory: directory, activity: SystemActivity.current))
            sharedName = group.accessGroup + "\0" + service
        }

        public func read(_ name: String) throws -> Data? { try records.read(name) }
        public func write(_ data: Data, to name: String) throws { try records.write(data, to: name) }
        public func create(_ data: Data, at name: String) throws -> Bool { try records.create(data, at: name) }
        public func delete(_ name: String) throws { try records.delete(name) }

        /// Runs the work under a lock file. A Keychain item could not be released when its process ends.
        ///
        /// In an app group the lock is released, and the work goes on, when the system suspends the process.
        public func withLock<Answer: Sendable>(
            _ name: String, _ work: @Sendable () async throws -> Answer
        ) async throws -> Answer {
            try await records.withLock(name, work)
        }
    }

    extension PreludeKeychainCredentialStore: SharedCredentialStore {
        func changeSignal(of endpoint: String) -> (any ChangeSignal)? {
            sharedName.flatMap { SystemSignal.named(store: $0, endpoint: endpoint) }
        }
    }
#endif
