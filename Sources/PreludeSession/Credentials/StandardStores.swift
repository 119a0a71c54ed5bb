/// Where credentials and keys are when an app says nothing else.
enum StandardStores {
    static func credentials() -> any CredentialStore {
        #if canImport(Security)
            KeychainCredentialStore()
        #else
            FileCredentialStore()
        #endif
    }

    static func keys(with store: any CredentialStore) -> any DeviceKeyStore {
        #if canImport(CryptoKit) && canImport(Security)
            SecureEnclaveDeviceKeyStore(store: store)
        #else
            SoftwareDeviceKeyStore(store: store)
        #endif
    }
}
