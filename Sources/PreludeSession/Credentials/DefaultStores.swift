/// The stores of an app that passes none.
enum DefaultStores {
    static func credentials() -> any PreludeCredentialStore {
        #if canImport(Security)
            PreludeKeychainCredentialStore()
        #else
            PreludeFileCredentialStore()
        #endif
    }

    static func keys(with store: any PreludeCredentialStore, log: SessionLog) -> any PreludeDeviceKeyStore {
        #if canImport(CryptoKit) && canImport(Security)
            PreludeSecureEnclaveDeviceKeyStore(store: store, log: log)
        #else
            PreludeSoftwareDeviceKeyStore(store: store)
        #endif
    }
}
