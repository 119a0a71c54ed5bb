import SessionDomain
import SessionTokens

/// The mapping of claims, in requests and in responses.
struct ClaimsConfigBody: Codable {
    let mapping: [String: JSONValue]
    var createdAt: String?
    var updatedAt: String?

    private enum CodingKeys: String, CodingKey {
        case mapping
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    init(_ config: ClaimsConfig) {
        mapping = config.mapping.mapValues(\.json)
        createdAt = config.createdAt.rfc3339
        updatedAt = config.updatedAt.rfc3339
    }
}
