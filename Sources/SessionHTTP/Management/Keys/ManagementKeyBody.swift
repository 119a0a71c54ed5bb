import SessionDomain

/// A management key as the management API shows it.
struct ManagementKeyBody: Encodable {
    let id: String
    let name: String
    let createdAt: String
    /// The value of the key. Only the response that creates or rotates it contains it.
    let key: String?

    private enum CodingKeys: String, CodingKey {
        case id, name, key
        case createdAt = "created_at"
    }

    init(_ stored: ManagementKey, secret: String? = nil) {
        id = stored.id
        name = stored.name
        createdAt = stored.createdAt.rfc3339
        key = secret
    }
}

struct ManagementKeyListBody: Encodable { let keys: [ManagementKeyBody] }

struct CreateManagementKeyBody: Decodable { let name: String }
