import SessionDomain

extension ServiceConfiguration {
    /// Returns the configured keys of the management API.
    ///
    /// - Throws: `ConfigurationError` for a key that can be guessed, and for a key that occurs twice.
    func checkedManagementKeys(now: Timestamp) throws -> [ConfiguredManagementKey] {
        guard Set(managementKeys).count == managementKeys.count else {
            throw settings.error(.managementKey, "contains a key twice. Remove one of them")
        }
        return try managementKeys.enumerated().map { index, secret in
            if let problem = ChosenSecret(secret).problem {
                throw settings.error(.managementKey, "key \(index + 1) \(problem)")
            }
            return ConfiguredManagementKey(secret: secret, now: now)
        }
    }
}
