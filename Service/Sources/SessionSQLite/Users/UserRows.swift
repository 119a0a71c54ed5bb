internal import Foundation
internal import GRDB
internal import SessionDomain
internal import SessionTokens

extension User {
    static let columns = """
        users.id, users.app_id, users.status, users.external_id, users.profile, users.password_hash IS NOT NULL,
        users.login_epoch, users.locale, users.created_at, users.updated_at
        """

    /// The same columns, with an empty profile.
    static let columnsWithoutProfile = columns.replacingOccurrences(of: "users.profile", with: "'{}'")

    /// Reads a user without identifiers, which are separate rows.
    init(reading columns: inout ColumnReader) throws {
        let (id, appID, status): (String, AppID, Status) = (try columns.next(), try columns.next(), try columns.next())
        let (externalID, profile): (String?, String) = (try columns.next(), try columns.next())
        self.init(
            id: id, appID: appID, status: status, externalID: externalID,
            // Most users have no profile, and hot paths read users.
            profile: profile == "{}" ? [:] : try StoredJSON.value(profile), identifiers: [],
            hasPassword: try columns.next(), loginEpoch: try columns.next(), locale: try columns.next(),
            createdAt: try columns.next(),
            updatedAt: try columns.next())
    }
}

extension Database {
    func user(_ id: String, app: AppID) throws -> User? {
        try user(where: "users.app_id = ? AND users.id = ?", [app, id])
    }

    private static let owner = "(SELECT user_id FROM identifiers WHERE app_id = ? AND type = ? AND canonical = ?)"

    /// The same two statements for an identifier that a user has and for one that no user has.
    ///
    /// - Parameter columns: Those of a user, or those without the profile.
    func user(
        with identifier: CanonicalIdentifier, app: AppID, columns: String = User.columns
    ) throws -> User? {
        let arguments: StatementValues = [app, app, identifier.type, identifier.canonical]
        let user = try first(
            "SELECT \(columns) FROM users WHERE users.app_id = ? AND users.id = \(Self.owner)",
            arguments, as: User.init(reading:))
        let identifiers = try all(
            "SELECT \(IdentifierRow.columns) FROM identifiers WHERE app_id = ? AND user_id = \(Self.owner)"
                + " ORDER BY position", arguments, as: IdentifierRow.init(reading:))
        guard var user else { return nil }
        user.set(identifiers)
        return user
    }

    func user(externalID: String, app: AppID) throws -> User? {
        try user(where: "users.app_id = ? AND users.external_id = ?", [app, externalID])
    }

    private func user(where condition: String, _ arguments: StatementValues) throws -> User? {
        let user = try first("SELECT \(User.columns) FROM users WHERE \(condition)", arguments, as: User.init(reading:))
        return try user.map(withIdentifiers)
    }

    func withIdentifiers(_ user: User) throws -> User {
        var user = user
        user.set(try identifiers(of: user.id, app: user.appID))
        return user
    }

    /// The users that have any of these identifiers or this external id, each once.
    func users(owning identifiers: [CanonicalIdentifier], externalID: String?, app: AppID) throws -> [User] {
        var owners: [User] = []
        if let externalID, let user = try user(externalID: externalID, app: app) { owners.append(user) }
        for identifier in identifiers {
            guard let id = try ownerID(of: identifier, app: app), !owners.contains(where: { $0.id == id }),
                let user = try user(id, app: app)
            else { continue }
            owners.append(user)
        }
        return owners
    }

    func voidLogins(of user: User) throws {
        try run("UPDATE users SET login_epoch = login_epoch + 1 WHERE app_id = ? AND id = ?", [user.appID, user.id])
    }

    func setLocale(_ locale: String, of user: User) throws {
        try run("UPDATE users SET locale = ? WHERE app_id = ? AND id = ?", [locale, user.appID, user.id])
    }

    /// `nil` for a user without a password, and for an unknown user.
    func passwordHash(of id: String, app: AppID) throws -> String? {
        try passwordHash(where: "id = ?", [app, id])
    }

    /// The same statement for an identifier that a user has and for one that no user has.
    func passwordHash(with identifier: CanonicalIdentifier, app: AppID) throws -> String? {
        try passwordHash(where: "id = \(Self.owner)", [app, app, identifier.type, identifier.canonical])
    }

    private func passwordHash(where condition: String, _ arguments: StatementValues) throws -> String? {
        let row: String?? = try first(
            "SELECT password_hash FROM users WHERE app_id = ? AND \(condition)", arguments
        ) { columns -> String? in try columns.next() }
        return row ?? nil
    }

    func setPasswordHash(_ hash: String, replacing old: String?, of user: User) throws {
        try run(
            "UPDATE users SET password_hash = ? WHERE app_id = ? AND id = ? AND (? IS NULL OR password_hash = ?)",
            [hash, user.appID, user.id, old, old], orFail: .stale)
    }

    func insert(_ user: User, passwordHash: String?) throws {
        try run(
            """
            INSERT INTO users (app_id, id, status, external_id, profile, password_hash, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (app_id, external_id) DO NOTHING
            """,
            [
                user.appID, user.id, user.status, user.externalID, StoredJSON.text(user.profile), passwordHash,
                user.createdAt, user.updatedAt,
            ], orFail: user.externalID.map { .taken(.externalID($0)) } ?? .stale)
    }

    /// Writes status, external id, profile and time of change.
    func replace(_ old: User, with new: User) throws {
        do {
            try run(
                """
                UPDATE users SET status = ?, external_id = ?, profile = ?, updated_at = ?
                WHERE app_id = ? AND id = ? AND status = ? AND external_id IS ? AND updated_at = ?
                """,
                [
                    new.status, new.externalID, StoredJSON.text(new.profile), new.updatedAt, old.appID, old.id,
                    old.status, old.externalID, old.updatedAt,
                ], orFail: .stale)
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw new.externalID.map { FailedGuard.taken(.externalID($0)) } ?? .stale
        }
    }

    /// Deletes a user. Identifiers and sessions are deleted with it by foreign keys, challenges and grants with the sessions.
    func delete(_ user: User) throws {
        try run("DELETE FROM users WHERE app_id = ? AND id = ?", [user.appID, user.id], orFail: .stale)
    }
}
