#if canImport(CryptoKit) && canImport(Security)
    /// Keeps the device key in the Secure Enclave. Keeps a software key on a device without one, or whose enclave creates no
    /// keys. The enclave's key cannot be exported.
    ///
    /// The credential store keeps the enclave's opaque blob, or the software key.
    public struct PreludeSecureEnclaveDeviceKeyStore: PreludeDeviceKeyStore {
        private let keys: EnclaveKeys

        /// Creates a store of keys in this device's enclave.
        ///
        /// - Parameters:
        ///   - store: Keeps the blob or the software key.
        ///   - logHandler: Receives an entry when a software key is created although the device has an enclave. `nil` is no
        ///     log.
        public init(
            store: any PreludeCredentialStore = PreludeKeychainCredentialStore(),
            logHandler: (any PreludeSessionLogHandler)? = nil
        ) {
            self.init(store: store, log: SessionLog(handler: logHandler))
        }

        init(store: any PreludeCredentialStore, log: SessionLog) {
            keys = EnclaveKeys(enclave: SecureEnclaveChip(), store: store, log: log)
        }

        /// The key of a session. A session that began without an enclave keeps its software key.
        ///
        /// - Throws: `PreludeSessionError.deviceKeyLost` for a key that the enclave rejects.
        public func key(_ name: String) async throws -> (any PreludeDeviceKey)? { try await keys.key(name) }

        public func makeKey(_ name: String) async throws -> any PreludeDeviceKey { try await keys.makeKey(name) }
    }
#endif
