#if canImport(Security)
    internal import Foundation

    /// Apple's data protection, and exclusion from backups.
    struct SystemFileProtection: FileProtection {
        func isProtected(_ path: String) -> Bool {
            let values = try? URL(fileURLWithPath: path).resourceValues(forKeys: [.isExcludedFromBackupKey])
            guard values?.isExcludedFromBackup == true else { return false }
            #if os(macOS) || targetEnvironment(simulator)
                // They have no classes of protection.
                return true
            #else
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                let type = attributes?[.protectionKey] as? FileProtectionType
                return type?.rawValue == FileProtectionType.completeUntilFirstUserAuthentication.rawValue
            #endif
        }

        func protect(_ path: String) throws {
            // An app may have chosen a class for all its files that is unreadable while the device is locked. Refreshes
            // in the background would fail.
            try FileManager.default.setAttributes(
                [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
            var url = URL(fileURLWithPath: path)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try url.setResourceValues(values)
        }
    }
#endif
