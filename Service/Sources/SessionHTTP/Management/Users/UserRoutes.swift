import Hummingbird
package import SessionDomain
import SessionTokens
import SessionWire

/// Users in the management API.
struct UserRoutes: Sendable {
    let users: UserManagement

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(CreateUserBody.self)
        let identifiers = try body.identifiers.enumerated().map { index, identifier in
            try CanonicalIdentifier(identifier, field: "identifiers[\(index)]")
        }
        let user = try await users.create(
            app: context.appID, identifiers: identifiers, password: body.password, externalID: body.externalID,
            profile: body.profile ?? [:])
        return try .json(UserBody(user), status: .created)
    }

    /// All users or those with the `status` of the query, or the one with its `external_id`, or with the identifier of
    /// `identifier_type` and `identifier_value`.
    @Sendable func find(_ request: Request, context: OperatorContext) async throws -> Response {
        let query = try request.query
        let filters = [["status"], ["external_id"], ["identifier_type", "identifier_value"]]
        let named = filters.compactMap { filter in filter.first { query[$0] != nil } }
        guard named.count < 2 else {
            throw Refusal.invalidField(named[1], "must not be set together with \(named[0])")
        }
        if let id = query["external_id"] {
            return try one(try await users.user(externalID: id, app: context.appID))
        }
        if query["identifier_type"] != nil || query["identifier_value"] != nil {
            let identifier = try Self.identifier(
                type: query["identifier_type"], value: query["identifier_value"])
            return try one(try await users.user(with: identifier, app: context.appID))
        }
        let list = try ListRequest(request)
        let page = try await users.users(
            app: context.appID, status: try query["status"].map { try Self.status($0) }, limit: list.limit,
            from: list.start)
        return try .json(
            UserListBody(
                users: page.elements.map(UserBody.init), total: page.total, limit: list.limit, offset: list.offset,
                next: page.next.map(ListCursor.text)))
    }

    /// - Throws: A refusal with the name of the parameter.
    static func identifier(type: String?, value: String?) throws(Refusal) -> CanonicalIdentifier {
        guard let type, IdentifierType(rawValue: type) != nil else {
            throw .invalidField("identifier_type", "must be phone_number or email_address")
        }
        guard let value else { throw .invalidField("identifier_value", "is required with identifier_type") }
        return try CanonicalIdentifier(type: type, value: value, field: "identifier_value", isSearched: true)
    }

    private func one(_ user: User) throws -> Response {
        try .json(UserListBody(users: [UserBody(user)], total: 1, limit: 1, offset: 0, next: nil))
    }

    private static func status(_ text: String) throws(Refusal) -> User.Status {
        guard let status = User.Status(rawValue: text) else {
            throw .invalidField("status", "must be active, inactive or suspended")
        }
        return status
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(UserBody(try await users.user(try context.userID, app: context.appID)))
    }

    @Sendable func delete(_ request: Request, context: OperatorContext) async throws -> Response {
        try await users.delete(try context.userID, app: context.appID)
        return .noContent
    }

    @Sendable func setStatus(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(StatusBody.self)
        let user = try await users.setStatus(try Self.status(body.status), user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func setPassword(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(SetPasswordBody.self)
        _ = try await users.setPassword(
            body.password, user: try context.userID, app: context.appID,
            ending: body.revokeSessions ?? true ? .all : nil)
        return .noContent
    }

    @Sendable func clearLimits(_ request: Request, context: OperatorContext) async throws -> Response {
        _ = try await users.clearLimits(of: try context.userID, app: context.appID)
        return .noContent
    }

    /// Clears the limits of the identifier or of the `address` of the query.
    @Sendable func clearOtherLimits(_ request: Request, context: OperatorContext) async throws -> Response {
        let query = try request.query
        switch (query["address"], query["identifier_value"]) {
        case (let address?, nil): try await users.clearLimits(ofAddress: address, app: context.appID)
        case (nil, let value?):
            let identifier = try Self.identifier(type: query["identifier_type"], value: value)
            try await users.clearLimits(of: identifier, app: context.appID)
        default: throw Refusal.invalidField("address", "or identifier_type and identifier_value is required, not both")
        }
        return .noContent
    }

    @Sendable func setExternalID(_ request: Request, context: OperatorContext) async throws -> Response {
        let id = try await request.decodeExactly(ExternalIDBody.self).checked()
        let user = try await users.setExternalID(id, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func mergeProfile(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(ProfileBody.self)
        let user = try await users.mergeProfile(body.profile, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func addIdentifier(_ request: Request, context: OperatorContext) async throws -> Response {
        let identifier = try CanonicalIdentifier(try await request.decodeExactly(Identifier.self))
        let user = try await users.addIdentifier(identifier, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func removeIdentifier(_ request: Request, context: OperatorContext) async throws -> Response {
        let identifier = try CanonicalIdentifier(try await request.decodeExactly(Identifier.self), isSearched: true)
        let user = try await users.removeIdentifier(identifier, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }
}

/// The passkeys of a user.
struct UserPasskeyRoutes: Sendable {
    let users: UserManagement

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        let passkeys = try await users.passkeys(of: try context.userID, app: context.appID)
        return try .json(PasskeyListResponse(credentials: passkeys.map(PasskeyView.init)))
    }

    @Sendable func delete(_ request: Request, context: OperatorContext) async throws -> Response {
        try await users.deletePasskey(
            context.parameters.get("credential_id") ?? "", of: try context.userID, app: context.appID)
        return .noContent
    }
}

extension OperatorContext {
    /// The user id of the path.
    var userID: String {
        get throws {
            guard let id = parameters.get("user_id") else { throw Refusal.notFound("there is no such user") }
            return id
        }
    }
}

/// A user as the management API shows it.
struct UserBody: Encodable {
    let id: String
    let status: String
    let externalID: String?
    let profile: [String: JSONValue]
    let identifiers: [Identifier]
    let hasPassword: Bool
    let hasPasskey: Bool
    /// Absent until a login has named a language.
    let locale: String?
    let createdAt: String
    let updatedAt: String

    private enum CodingKeys: String, CodingKey {
        case id, status, profile, identifiers, locale
        case externalID = "external_id"
        case hasPassword = "has_password"
        case hasPasskey = "has_passkey"
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
        hasPasskey = user.hasPasskey
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

/// The users that a backend looks for, by any of their names.
struct UserLookupBody: Codable {
    var userIDs: [String]?
    var externalIDs: [String]?
    var identifiers: [Identifier]?

    private enum CodingKeys: String, CodingKey {
        case identifiers
        case userIDs = "user_ids"
        case externalIDs = "external_ids"
    }

    init(_ lookup: UserLookup) {
        userIDs = lookup.ids
        externalIDs = lookup.externalIDs
        identifiers = lookup.identifiers.map(Identifier.init)
    }

    func lookup() throws(Refusal) -> UserLookup {
        for (field, ids) in [("user_ids", userIDs ?? []), ("external_ids", externalIDs ?? [])] {
            for (index, id) in ids.enumerated() { try TextLimit.check(id, "\(field)[\(index)]") }
        }
        var lookup = UserLookup(ids: userIDs ?? [], externalIDs: externalIDs ?? [])
        for (index, identifier) in (identifiers ?? []).enumerated() {
            lookup.identifiers.append(
                try CanonicalIdentifier(identifier, field: "identifiers[\(index)]", isSearched: true))
        }
        return lookup
    }
}

/// The users that were found, and the names that none of them has.
struct UserLookupResultBody: Encodable {
    let users: [UserBody]
    let notFound: UserLookupBody

    private enum CodingKeys: String, CodingKey {
        case users
        case notFound = "not_found"
    }
}

/// Finds up to 100 users with one call.
struct UserLookupRoutes: Sendable {
    let users: UserManagement

    @Sendable func find(_ request: Request, context: OperatorContext) async throws -> Response {
        let lookup = try await request.decodeExactly(UserLookupBody.self).lookup()
        let found = try await users.users(lookup, app: context.appID)
        return try .json(
            UserLookupResultBody(
                users: found.map(UserBody.init), notFound: UserLookupBody(lookup.names(missingIn: found))))
    }
}

/// The sessions of one user in the management API.
struct UserSessionRoutes: Sendable {
    let users: UserManagement

    private struct RevokedCountBody: Encodable { let revoked: Int }

    private struct UserSessionListBody: Encodable {
        let sessions: [SessionView]
        /// Absent, as `offset`, on a page after a cursor.
        let total: Int?
        let limit: Int
        let offset: Int?
        /// The `cursor` of the next page. Absent on the last one.
        let next: String?
    }

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        let list = try ListRequest(request)
        let filter = try SessionFilter(try request.query)
        let page = try await users.sessions(
            of: try context.userID, app: context.appID, filter: filter, limit: list.limit, from: list.start)
        return try .json(
            UserSessionListBody(
                sessions: page.elements.map(SessionView.init), total: page.total, limit: list.limit,
                offset: list.offset, next: page.next.map(ListCursor.text)))
    }

    @Sendable func revoke(_ request: Request, context: OperatorContext) async throws -> Response {
        let id = context.parameters.get("session_id") ?? ""
        let revoked = try await users.endSessions(.one(id), of: try context.userID, app: context.appID)
        guard revoked == 1 else { throw Refusal.notFound("the user has no such session") }
        return .noContent
    }

    @Sendable func revokeAll(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactlyIfPresent(InvalidateSessionsBody.self)
        let selection = body?.except.map(SessionSelection.allBut) ?? .all
        let revoked = try await users.endSessions(selection, of: try context.userID, app: context.appID)
        return try .json(RevokedCountBody(revoked: revoked))
    }
}

extension SessionFilter {
    /// Reads the query parameters `device_id`, `device_type` and `country_code`.
    ///
    /// - Throws: `Refusal.invalidField` with the name of the parameter.
    package init(_ query: FormFields) throws(Refusal) {
        self.init()
        if let text = query["device_id"] {
            guard let id = Client.uuid(text) else { throw .invalidField("device_id", "must be a UUID") }
            deviceID = id
        }
        if let type = query["device_type"] {
            guard Self.deviceTypes.contains(type) else {
                throw .invalidField("device_type", "must be desktop, mobile, tablet or unknown")
            }
            deviceType = type
        }
        if let code = query["country_code"] {
            guard code.utf8.count == 2, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
                throw .invalidField("country_code", "must be two upper-case letters, such as FR")
            }
            countryCode = code
        }
    }
}
