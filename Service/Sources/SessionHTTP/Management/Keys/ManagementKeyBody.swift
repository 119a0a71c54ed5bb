import SessionDomain

/// A management key as the management API shows it.
struct ManagementKeyBody: Encodable {
    let id: String
    let name: String
    let role: String
    let createdBy: String?
    let createdAt: String
    let expiresAt: String?
    let lastUsedAt: String?
    /// The value of the key. Only the response that creates or rotates it contains it.
    let key: String?

    private enum CodingKeys: String, CodingKey {
        case id, name, role, key
        case createdBy = "created_by"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
        case lastUsedAt = "last_used_at"
    }

    init(_ stored: ManagementKey, secret: String? = nil) {
        id = stored.id
        name = stored.name
        role = stored.role.rawValue
        createdBy = stored.createdBy?.publicName
        createdAt = stored.createdAt.rfc3339
        expiresAt = stored.expiresAt?.rfc3339
        lastUsedAt = stored.lastUsedAt?.rfc3339
        key = secret
    }
}

struct ManagementKeyListBody: Encodable { let keys: [ManagementKeyBody] }

struct CreateManagementKeyBody: Decodable {
    let name: String
    let role: String?
    let expiresAt: String?

    private enum CodingKeys: String, CodingKey {
        case name, role
        case expiresAt = "expires_at"
    }

    /// - Throws: `Refusal.invalidField`.
    func checkedRole() throws(Refusal) -> ManagementKey.Role {
        guard let role else { return .write }
        guard let known = ManagementKey.Role(rawValue: role) else {
            throw .invalidField("role", "must be read or write")
        }
        return known
    }

    /// - Throws: `Refusal.invalidField`.
    func expiry() throws(Refusal) -> Timestamp? {
        guard let expiresAt else { return nil }
        guard let time = Timestamp(rfc3339: expiresAt) else {
            throw .invalidField("expires_at", "must be a time such as 2027-01-01T12:00:00Z")
        }
        return time
    }
}
