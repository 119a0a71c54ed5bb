/// How users of an earlier system come over: their old credential is judged by the operator's backend.
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
