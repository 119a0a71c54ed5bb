#if canImport(CryptoKit) && canImport(Security)
    /// Keeps the device's key in the Secure Enclave, which never gives it out; where there is none, a software key.
    ///
    /// The credential store holds the enclave's opaque blob, or the software key.
    public struct SecureEnclaveDeviceKeyStore: DeviceKeyStore {
        private let keys: EnclaveKeys

        /// Keys of this device's chip.
        ///
        /// - Parameter store: Where the blob, or the software key, is kept.
        public init(store: any CredentialStore = KeychainCredentialStore()) {
            keys = EnclaveKeys(enclave: SecureEnclaveChip(), store: store)
        }

        /// The key of a session; one that began without an enclave goes on with the software key it has.
        ///
        /// - Throws: `PreludeSessionError.deviceKeyLost` for a key that the enclave refuses.
        public func key(_ name: String) async throws -> (any DeviceKey)? { try await keys.key(name) }

        public func makeKey(_ name: String) async throws -> any DeviceKey { try await keys.makeKey(name) }
    }
#endif
