#if canImport(Security)
    internal import Foundation
    internal import Security

    /// Generic passwords of the data protection Keychain: readable after the first unlock since the device's start, on this
    /// device only, excluded from backups and iCloud.
    struct SecurityKeychainItems: KeychainItems {
        let service: String
        let accessGroup: String?

        func copy(_ account: String) -> (status: KeychainStatus, data: Data?) {
            var found: CFTypeRef?
            let query = query(account, and: [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne])
            let status = SecItemCopyMatching(query, &found)
            return (KeychainStatus(rawValue: status), found as? Data)
        }

        func add(_ account: String, _ data: Data) -> KeychainStatus {
            let item = query(
                account,
                and: [kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly])
            return KeychainStatus(rawValue: SecItemAdd(item, nil))
        }

        func update(_ account: String, _ data: Data) -> KeychainStatus {
            KeychainStatus(rawValue: SecItemUpdate(query(account), Self.dictionary([kSecValueData: data])))
        }

        func delete(_ account: String) -> KeychainStatus {
            KeychainStatus(rawValue: SecItemDelete(query(account)))
        }

        private func query(_ account: String, and more: [CFString: Any] = [:]) -> CFDictionary {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword,
                kSecAttrService: service,
                kSecAttrAccount: account,
                kSecAttrSynchronizable: false,
                // Without it macOS uses the file-based keychain. That one has no access groups and ignores the device lock.
                kSecUseDataProtectionKeychain: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
            return Self.dictionary(query.merging(more) { _, new in new })
        }

        private static func dictionary(_ attributes: [CFString: Any]) -> CFDictionary {
            NSDictionary(dictionary: attributes) as CFDictionary
        }
    }
#endif
