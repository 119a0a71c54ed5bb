import Foundation
import SessionDomain

extension ServiceConfiguration {
    /// Reads the keys of the setting, or those of its file: one in a line.
    static func managementKeys(_ settings: Settings) throws -> [String] {
        guard try settings.prefers(.managementKeyFile, to: .managementKey) else { return settings.list(.managementKey) }
        return try settings.content(of: .managementKeyFile)?.split(whereSeparator: \.isNewline).map(String.init) ?? []
    }

    /// Returns the configured keys of the management API.
    ///
    /// - Throws: `ConfigurationError` for a key that can be guessed, and for a key that occurs twice.
    func checkedManagementKeys(now: Timestamp) throws -> [ConfiguredManagementKey] {
        guard Set(managementKeys).count == managementKeys.count else {
            throw settings.error(keysSetting, "contains a key twice. Remove one of them")
        }
        return try managementKeys.enumerated().map { index, secret in
            if let problem = ChosenSecret(secret).problem {
                throw settings.error(keysSetting, "key \(index + 1) \(problem)")
            }
            return ConfiguredManagementKey(secret: secret, now: now)
        }
    }

    private var keysSetting: Key { settings.string(.managementKey) == nil ? .managementKeyFile : .managementKey }
}
