import SessionDomain
import SessionTokens
import SessionWire

/// A user as the management API shows it.
struct UserBody: Encodable {
    let id: String
    let status: String
    let externalID: String?
    let profile: [String: JSONValue]
    let identifiers: [Identifier]
    let hasPassword: Bool
    /// Absent until a login has named a language.
    let locale: String?
    let createdAt: String
    let updatedAt: String

    private enum CodingKeys: String, CodingKey {
        case id, status, profile, identifiers, locale
        case externalID = "external_id"
        case hasPassword = "has_password"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    init(_ user: User) {
        id = user.id
        status = user.status.rawValue
        externalID = user.externalID
        profile = user.profile
        identifiers = user.identifiers.map(Identifier.init)
        hasPassword = user.hasPassword
        locale = user.locale
        createdAt = user.createdAt.rfc3339
        updatedAt = user.updatedAt.rfc3339
    }
}

struct UserListBody: Encodable {
    let users: [UserBody]
    /// Absent, as `offset`, on a page after a cursor.
    let total: Int?
    let limit: Int
    let offset: Int?
    /// The `cursor` of the next page. Absent on the last one.
    let next: String?
}

struct CreateUserBody: Decodable {
    let identifiers: [Identifier]
    let password: String?
    let externalID: String?
    let profile: [String: JSONValue]?

    private enum CodingKeys: String, CodingKey {
        case identifiers, password, profile
        case externalID = "external_id"
    }
}

struct StatusBody: Decodable { let status: String }

struct SetPasswordBody: Decodable {
    let password: String
    /// Whether the sessions of the user are revoked. The default is true.
    let revokeSessions: Bool?

    private enum CodingKeys: String, CodingKey {
        case password
        case revokeSessions = "revoke_sessions"
    }
}

struct ExternalIDBody: Decodable {
    /// A text, or null, which removes the external id. Not optional: a body without it must remove nothing.
    let externalID: JSONValue

    private enum CodingKeys: String, CodingKey { case externalID = "external_id" }

    func checked() throws(Refusal) -> String? {
        switch externalID {
        case .null: return nil
        case .string(let text): return text
        default: throw .invalidField("external_id", "must be a string or null")
        }
    }
}

struct ProfileBody: Decodable { let profile: [String: JSONValue] }

struct InvalidateSessionsBody: Decodable {
    /// The session that stays. Null is refused: a caller that has lost the id must not end all sessions.
    let except: String?
}
