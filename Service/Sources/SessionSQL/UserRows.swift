internal import Foundation
package import SessionDomain

extension User {
    package static let columns = """
        users.id, users.app_id, users.status, users.external_id, users.profile, users.password_hash IS NOT NULL,
        EXISTS (SELECT 1 FROM passkeys WHERE passkeys.app_id = users.app_id AND passkeys.user_id = users.id),
        users.login_epoch, users.locale, users.created_at, users.updated_at
        """

    /// The same columns, with an empty profile.
    package static let columnsWithoutProfile = columns.replacingOccurrences(of: "users.profile", with: "'{}'")

    /// Reads a user without identifiers, which are separate rows.
    package init(reading columns: inout ColumnReader) throws {
        let (id, appID, status): (String, AppID, Status) = (try columns.next(), try columns.next(), try columns.next())
        let (externalID, profile): (String?, String) = (try columns.next(), try columns.next())
        self.init(
            id: id, appID: appID, status: status, externalID: externalID,
            // Most users have no profile, and hot paths read users.
            profile: profile == "{}" ? [:] : try StoredJSON.value(profile), identifiers: [],
            hasPassword: try columns.next(), hasPasskey: try columns.next(), loginEpoch: try columns.next(),
            locale: try columns.next(),
            createdAt: try columns.next(), updatedAt: try columns.next())
    }

    /// Sets the identifiers of this user, in their order, with their holds.
    package mutating func set(_ rows: [IdentifierRow]) {
        identifiers = rows.map(\.identifier)
        // Identifiers are almost never held, and to remove one from an empty dictionary costs a hash.
        for row in rows where row.heldUntil != nil { heldUntil[row.identifier] = row.heldUntil }
    }

    /// The user with an external id.
    ///
    /// - Parameter externalID: The parameter of the external id, such as `$2`. `$1` is the app.
    package static func owner(externalID: String, _ dialect: Dialect) -> String {
        // In PostgreSQL, users can be split by their ids, so a table of its own keeps external ids unique.
        dialect == .sqlite
            ? "(SELECT id FROM users WHERE app_id = $1 AND external_id = \(externalID))"
            : "(SELECT user_id FROM external_ids WHERE app_id = $1 AND external_id = \(externalID))"
    }

    func insertions(passwordHash: String?, _ dialect: Dialect) throws -> [Statement] {
        let sql = """
            INSERT INTO users (app_id, id, status, external_id, profile, password_hash, created_at, updated_at)
            VALUES (\(Statement.parameters(8)))
            """
        let values: [(any ColumnValue)?] = [
            appID, id, status, externalID, StoredJSON.text(profile), passwordHash, createdAt, updatedAt,
        ]
        guard dialect == .sqlite else { return [Statement(sql, values)] + externalIDInsertion }
        return [
            .guarded(
                sql + " ON CONFLICT (app_id, external_id) DO NOTHING", values,
                orFail: externalID.map { .taken(.externalID($0)) } ?? .stale)
        ]
    }

    private var externalIDInsertion: [Statement] {
        guard let externalID else { return [] }
        return [
            .guarded(
                """
                INSERT INTO external_ids (app_id, external_id, user_id) VALUES ($1, $2, $3)
                ON CONFLICT (app_id, external_id) DO NOTHING
                """, [appID, externalID, id], orFail: .taken(.externalID(externalID)))
        ]
    }

    /// Writes status, external id, profile and time of change.
    func replacements(with new: User, _ dialect: Dialect) throws -> [Statement] {
        let update = Statement.guarded(
            """
            UPDATE users SET status = $1, external_id = $2, profile = $3, updated_at = $4
            WHERE app_id = $5 AND id = $6 AND status = $7 AND external_id IS NOT DISTINCT FROM $8 AND updated_at = $9
            """,
            [
                new.status, new.externalID, StoredJSON.text(new.profile), new.updatedAt, appID, id, status,
                externalID, updatedAt,
            ], orFail: .stale)
        guard new.externalID != externalID else { return [update] }
        switch dialect {
        case .sqlite:
            // The transaction has the lock of all writes, so no other one takes the id between the two statements.
            let isFree = new.externalID.map { externalID in
                Statement.expecting(
                    "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM users WHERE app_id = $1 AND external_id = $2)",
                    [appID, externalID], orFail: .taken(.externalID(externalID)))
            }
            return [isFree, update].compactMap(\.self)
        case .postgres:
            let removal = Statement("DELETE FROM external_ids WHERE app_id = $1 AND user_id = $2", [appID, id])
            return [update, removal] + new.externalIDInsertion
        }
    }

    /// Deletes a user. Identifiers, passkeys and sessions are deleted with it by foreign keys, challenges and grants with the sessions.
    func deletions(_ dialect: Dialect) -> [Statement] {
        let deletion = Statement.guarded(
            "DELETE FROM users WHERE app_id = $1 AND id = $2", [appID, id], orFail: .stale)
        guard dialect == .postgres else { return [deletion] }
        // In the order in which transactions of several refreshes lock them. The foreign key has no order.
        return [
            Statement("SELECT 1 FROM sessions WHERE app_id = $1 AND user_id = $2 ORDER BY id FOR UPDATE", [appID, id]),
            deletion,
        ]
    }

    var loginVoiding: Statement {
        Statement("UPDATE users SET login_epoch = login_epoch + 1 WHERE app_id = $1 AND id = $2", [appID, id])
    }

    func localeChange(to locale: String) -> Statement {
        Statement("UPDATE users SET locale = $1 WHERE app_id = $2 AND id = $3", [locale, appID, id])
    }

    /// - Parameter old: The hash that it replaces. `nil`: any.
    func passwordHashChange(_ hash: String, replacing old: String?) -> Statement {
        .guarded(
            """
            UPDATE users SET password_hash = $1
            WHERE app_id = $2 AND id = $3 AND (CAST($4 AS text) IS NULL OR password_hash = $4)
            """, [hash, appID, id, old], orFail: .stale)
    }

    var identifierRelease: Statement {
        Statement("UPDATE identifiers SET held_until = NULL WHERE app_id = $1 AND user_id = $2", [appID, id])
    }
}

/// A stored identifier with its owner and its hold.
package struct IdentifierRow: Sendable {
    package static let columns =
        "identifiers.user_id, identifiers.type, identifiers.canonical, identifiers.value, identifiers.held_until"

    package let userID: String
    package let identifier: CanonicalIdentifier
    package let heldUntil: Timestamp?

    package init(reading columns: inout ColumnReader) throws {
        userID = try columns.next()
        identifier = try CanonicalIdentifier(reading: &columns)
        heldUntil = try columns.next()
    }
}

extension CanonicalIdentifier {
    /// The user who has an identifier, whose type and canonical form are `$2` and `$3`.
    package static let owner = "(SELECT user_id FROM identifiers WHERE app_id = $1 AND type = $2 AND canonical = $3)"

    init(reading columns: inout ColumnReader) throws {
        self.init(type: try columns.next(), canonical: try columns.next(), value: try columns.next())
    }

    func insertion(of user: User, heldUntil: Timestamp?) -> Statement {
        .guarded(
            """
            INSERT INTO identifiers (app_id, type, canonical, value, user_id, held_until, position)
            SELECT $1, $2, $3, $4, $5, CAST($6 AS bigint), coalesce(max(position), 0) + 1
            FROM identifiers WHERE app_id = $1 AND user_id = $5
            ON CONFLICT (app_id, type, canonical) DO NOTHING
            """, [user.appID, type, canonical, value, user.id, heldUntil], orFail: .taken(.identifier(self)))
    }

    func deletion(of user: User) -> Statement {
        .guarded(
            "DELETE FROM identifiers WHERE app_id = $1 AND type = $2 AND canonical = $3 AND user_id = $4",
            [user.appID, type, canonical, user.id], orFail: .stale)
    }

    /// Deletes the messages to it, and replaces it in verifications.
    func forgetting(app: AppID, _ dialect: Dialect) -> [Statement] {
        [
            Statement(
                """
                UPDATE verifications\(dialect.by("verifications_by_identifier"))
                SET canonical = CAST($1 AS text) || substr(token_hash, 1, 22),
                    value = CAST($1 AS text) || substr(token_hash, 1, 22)
                WHERE app_id = $2 AND type = $3 AND canonical = $4
                """, [pseudonymPrefix, app, type, canonical]),
            Statement(
                "DELETE FROM messages WHERE app_id = $1 AND type = $2 AND canonical = $3", [app, type, canonical]),
        ]
    }
}

extension SQLStore {
    package func user(_ id: String, app: AppID) async throws -> User? { try await user(where: "$2", [app, id]) }

    package func user(with identifier: CanonicalIdentifier, app: AppID) async throws -> User? {
        try await user(where: CanonicalIdentifier.owner, [app, identifier.type, identifier.canonical])
    }

    package func user(externalID: String, app: AppID) async throws -> User? {
        try await user(where: User.owner(externalID: "$2", dialect), [app, externalID])
    }

    /// - Parameter id: An expression for the id of the user.
    private func user(where id: String, _ values: [(any ColumnValue)?]) async throws -> User? {
        let statements = [
            Statement("SELECT \(User.columns) FROM users WHERE app_id = $1 AND id = \(id)", values),
            Statement(
                "SELECT \(IdentifierRow.columns) FROM identifiers WHERE app_id = $1 AND user_id = \(id) ORDER BY position",
                values),
        ]
        return try await read(statements) { rows in
            var user = try rows[0].first(User.init(reading:))
            user?.set(try rows[1].all(IdentifierRow.init(reading:)))
            return user
        }
    }

    package func users(
        app: AppID, status: User.Status?, limit: Int, offset: Int
    ) async throws -> (users: [User], total: Int) {
        let selection = "FROM users WHERE app_id = $1 AND (CAST($2 AS text) IS NULL OR status = $2)"
        let page = users(
            selection + " ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4", [app, status, limit, offset])
        return try await read(page + [Statement("SELECT count(*) \(selection)", [app, status])]) { rows in
            (try Self.users(rows), try rows[2].total())
        }
    }

    package func users(
        app: AppID, status: User.Status?, after place: ListPlace, limit: Int
    ) async throws -> [User] {
        let page = users(
            """
            FROM users WHERE app_id = $1 AND (CAST($2 AS text) IS NULL OR status = $2) AND (created_at, id) < ($3, $4)
            ORDER BY created_at DESC, id DESC LIMIT $5
            """, [app, status, place.time, place.id, limit])
        return try await read(page) { try Self.users($0) }
    }

    /// The statements for users and for their identifiers.
    private func users(_ page: String, _ values: [(any ColumnValue)?]) -> [Statement] {
        [
            Statement("SELECT \(User.columns) \(page)", values),
            Statement(
                """
                SELECT \(IdentifierRow.columns) FROM identifiers\(dialect.by("identifiers_by_user"))
                WHERE app_id = $1 AND user_id \(dialect.among("SELECT id \(page)")) ORDER BY position
                """, values),
        ]
    }

    /// - Parameter rows: Those of users, and those of their identifiers.
    package static func users(_ rows: [any StoredRows]) throws -> [User] {
        let identifiers = Dictionary(grouping: try rows[1].all(IdentifierRow.init(reading:)), by: \.userID)
        return try rows[0].all(User.init(reading:)).map { user in
            var user = user
            user.set(identifiers[user.id] ?? [])
            return user
        }
    }

    package func statuses(ofNewest limit: Int, app: AppID) async throws -> [User.Status: Int] {
        let counts = Statement(
            """
            SELECT status, count(*) FROM (
                SELECT status FROM users WHERE app_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2
            ) AS found GROUP BY status
            """, [app, limit])
        let found: [(User.Status, Int)] = try await all(counts) { (try $0.next(), try $0.next()) }
        return Dictionary(uniqueKeysWithValues: found)
    }

    package func users(with means: SignInMeans, app: AppID, amongNewest bound: Int) async throws -> CountedUsers {
        // In a CASE, the server looks up each user. As conditions, these would be joins that read the whole tables.
        let count = Statement(
            """
            SELECT count(CASE WHEN \(Self.condition(of: means)) THEN 1 END), count(*) FROM (
                SELECT id FROM users WHERE app_id = $1 ORDER BY created_at DESC, id DESC LIMIT \(bound)
            ) AS found
            """, [app])
        return try await counted(count, of: bound)
    }

    /// - Returns: An expression about the user `found`.
    private static func condition(of means: SignInMeans) -> String {
        func has(_ type: IdentifierType) -> String {
            "EXISTS (SELECT 1 FROM identifiers WHERE app_id = $1 AND user_id = found.id AND type = '\(type.rawValue)')"
        }
        let hasPassword =
            "EXISTS (SELECT 1 FROM users WHERE app_id = $1 AND id = found.id AND password_hash IS NOT NULL)"
        let password: String? =
            switch means.password {
            case nil: nil
            case true?: hasPassword
            case false?: "NOT (\(hasPassword) AND \(has(.emailAddress)))"
            }
        let conditions = [means.identifier.map(has), means.missing.map { "NOT " + has($0) }, password]
        return conditions.compactMap(\.self).reduce("TRUE") { $0 + " AND " + $1 }
    }

    func counted(_ count: Statement, of bound: Int) async throws -> CountedUsers {
        try await first(count) { CountedUsers(count: try $0.next(), read: try $0.next(), of: bound) }
            ?? CountedUsers(count: 0, read: 0, of: bound)
    }

    package func users(
        with type: IdentifierType, in ranges: [Range<String>], app: AppID, among bound: Int
    ) async throws -> CountedUsers {
        var (found, rest): (Set<String>, Int) = ([], bound)
        for range in ranges where rest > 0 {
            let page = Statement(
                """
                SELECT user_id FROM identifiers
                WHERE app_id = $1 AND type = $2 AND canonical >= $3 AND canonical < $4 ORDER BY canonical LIMIT $5
                """, [app, type, range.lowerBound, range.upperBound, rest])
            let users: [String] = try await all(page) { try $0.next() }
            found.formUnion(users)
            rest -= users.count
        }
        return CountedUsers(count: found.count, read: bound - rest, of: bound)
    }

    package func userIDs(app: AppID, after id: String?, limit: Int) async throws -> [String] {
        try await all(
            Statement(
                "SELECT id FROM users WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3", [app, id ?? "", limit])
        ) { try $0.next() }
    }
}
