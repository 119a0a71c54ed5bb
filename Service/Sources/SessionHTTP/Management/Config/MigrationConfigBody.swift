import SessionDomain

/// The migration configuration, in requests and in responses.
struct MigrationConfigBody: Codable {
    let sessionValidationURL: String
    var createdAt: String?
    var updatedAt: String?

    private enum CodingKeys: String, CodingKey {
        case sessionValidationURL = "session_validation_url"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    init(_ config: MigrationConfig) {
        sessionValidationURL = config.sessionValidationURL
        createdAt = config.createdAt.rfc3339
        updatedAt = config.updatedAt.rfc3339
    }
}
