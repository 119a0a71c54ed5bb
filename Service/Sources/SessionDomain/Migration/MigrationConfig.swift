/// How users of an earlier system are migrated: the operator's backend validates their old credential.
package struct MigrationConfig: Sendable, Equatable, Codable {
    package var sessionValidationURL: String
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(sessionValidationURL: String, at time: Timestamp) {
        self.sessionValidationURL = sessionValidationURL
        createdAt = time
        updatedAt = time
    }
}
