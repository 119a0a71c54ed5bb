internal import GRDB
internal import SessionDomain
internal import SessionTokens

extension User {
    static let columns = """
        users.id, users.app_id, users.status, users.external_id, users.profile, users.password_hash IS NOT NULL,
        users.created_at, users.updated_at
        """

    /// A user without identifiers, which are rows of their own.
    init(reading columns: inout ColumnReader) throws {
        let (id, appID, status): (String, AppID, Status) = (try columns.next(), try columns.next(), try columns.next())
        let (externalID, profile): (String?, String) = (try columns.next(), try columns.next())
        self.init(
            id: id, appID: appID, status: status, externalID: externalID,
            // Most users have none, and hot paths read users.
            profile: profile == "{}" ? [:] : try StoredJSON.value(profile), identifiers: [],
            hasPassword: try columns.next(), createdAt: try columns.next(), updatedAt: try columns.next())
    }
}

extension Database {
    func user(_ id: String, app: AppID) throws -> User? {
        try user(where: "users.app_id = ? AND users.id = ?", [app, id])
    }

    func user(with identifier: CanonicalIdentifier, app: AppID) throws -> User? {
        guard let id = try ownerID(of: identifier, app: app) else { return nil }
        return try user(id, app: app)
    }

    func user(externalID: String, app: AppID) throws -> User? {
        try user(where: "users.app_id = ? AND users.external_id = ?", [app, externalID])
    }

    private func user(where condition: String, _ arguments: StatementArguments) throws -> User? {
        let user = try first("SELECT \(User.columns) FROM users WHERE \(condition)", arguments, as: User.init(reading:))
        return try user.map(withIdentifiers)
    }

    func withIdentifiers(_ user: User) throws -> User {
        var user = user
        user.identifiers = try identifiers(of: user.id, app: user.appID)
        return user
    }

    func loginsVoidBefore(_ user: User) throws -> Timestamp {
        try first(
            "SELECT logins_void_before FROM users WHERE app_id = ? AND id = ?", [user.appID, user.id]
        ) { try $0.next() } ?? Timestamp(milliseconds: 0)
    }

    /// Voids the logins of a user that have begun and are not finished: what they proved has changed.
    func voidLogins(of userID: String, app: AppID, now: Timestamp) throws {
        try run("UPDATE users SET logins_void_before = ? WHERE app_id = ? AND id = ?", [now, app, userID])
    }

    /// `nil` for a user without a password.
    func passwordHash(of id: String, app: AppID) throws -> String? {
        let row: String?? = try first("SELECT password_hash FROM users WHERE app_id = ? AND id = ?", [app, id]) {
            columns -> String? in try columns.next()
        }
        return row ?? nil
    }

    /// Inserts a user with identifiers; stops at the first that somebody has, to be undone by the caller.
    func insert(_ user: User, passwordHash: String?) throws -> CreateUserOutcome {
        if let externalID = user.externalID, try self.user(externalID: externalID, app: user.appID) != nil {
            return .externalIDTaken
        }
        try run(
            """
            INSERT INTO users (app_id, id, status, external_id, profile, password_hash, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                user.appID, user.id, user.status, user.externalID, try StoredJSON.text(user.profile), passwordHash,
                user.createdAt, user.updatedAt,
            ])
        for identifier in user.identifiers {
            guard try insert(identifier, of: user.id, app: user.appID) else { return .identifierTaken }
        }
        return .created
    }
}
