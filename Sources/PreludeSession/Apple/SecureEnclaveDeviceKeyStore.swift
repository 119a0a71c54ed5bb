#if canImport(CryptoKit) && canImport(Security)
    /// Keeps the device key in the Secure Enclave, or a software key on a device without one. The enclave's key cannot be
    /// exported.
    ///
    /// The credential store keeps the enclave's opaque blob, or the software key.
    public struct SecureEnclaveDeviceKeyStore: DeviceKeyStore {
        private let keys: EnclaveKeys

        /// Creates a store of keys in this device's enclave.
        ///
        /// - Parameter store: Keeps the blob or the software key.
        public init(store: any CredentialStore = KeychainCredentialStore()) {
            keys = EnclaveKeys(enclave: SecureEnclaveChip(), store: store)
        }

        /// The key of a session. A session that began without an enclave keeps its software key.
        ///
        /// - Throws: `PreludeSessionError.deviceKeyLost` for a key that the enclave rejects.
        public func key(_ name: String) async throws -> (any DeviceKey)? { try await keys.key(name) }

        public func makeKey(_ name: String) async throws -> any DeviceKey { try await keys.makeKey(name) }
    }
#endif
