/// The stores of an app that passes none.
enum DefaultStores {
    static func credentials() -> any CredentialStore {
        #if canImport(Security)
            KeychainCredentialStore()
        #else
            FileCredentialStore()
        #endif
    }

    static func keys(with store: any CredentialStore, log: SessionLog) -> any DeviceKeyStore {
        #if canImport(CryptoKit) && canImport(Security)
            SecureEnclaveDeviceKeyStore(store: store, log: log)
        #else
            SoftwareDeviceKeyStore(store: store)
        #endif
    }
}
