package import SessionDomain

extension PostgresStore: UserStore {
    package func user(_ id: String, app: AppID) async throws -> User? {
        try await user(where: "$2", [app, id])
    }

    package func user(with identifier: CanonicalIdentifier, app: AppID) async throws -> User? {
        try await user(
            where: "(SELECT user_id FROM identifiers WHERE app_id = $1 AND type = $2 AND canonical = $3)",
            [app, identifier.type, identifier.canonical])
    }

    package func user(externalID: String, app: AppID) async throws -> User? {
        try await user(
            where: "(SELECT user_id FROM external_ids WHERE app_id = $1 AND external_id = $2)", [app, externalID])
    }

    /// - Parameter id: An expression for the id of the user.
    private func user(where id: String, _ values: [(any PostgresValue)?]) async throws -> User? {
        let statements = [
            Statement("SELECT \(User.columns) FROM users WHERE app_id = $1 AND id = \(id)", values),
            Statement(
                "SELECT \(IdentifierRow.columns) FROM identifiers WHERE app_id = $1 AND user_id = \(id) ORDER BY position",
                values),
        ]
        return try await read(statements) { rows in
            var user = try rows[0].first(User.init(reading:))
            user?.add(try rows[1].all(IdentifierRow.init(reading:)))
            return user
        }
    }

    package func users(
        app: AppID, status: User.Status?, limit: Int, offset: Int
    ) async throws -> (users: [User], total: Int) {
        let selection = "FROM users WHERE app_id = $1 AND ($2::text IS NULL OR status = $2)"
        let page = selection + " ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4"
        let statements = [
            Statement("SELECT \(User.columns) \(page)", [app, status?.rawValue, limit, offset]),
            Statement(
                """
                SELECT \(IdentifierRow.columns) FROM identifiers
                WHERE app_id = $1 AND user_id = ANY (ARRAY(SELECT id \(page))) ORDER BY position
                """, [app, status?.rawValue, limit, offset]),
            Statement("SELECT count(*) \(selection)", [app, status?.rawValue]),
        ]
        return try await read(statements) { rows in
            (try Self.users(rows), try rows[2].first { try $0.next() } ?? 0)
        }
    }

    package func statuses(ofNewest limit: Int, app: AppID) async throws -> [User.Status: Int] {
        let counts = Statement(
            """
            SELECT status, count(*) FROM (
                SELECT status FROM users WHERE app_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2
            ) AS found GROUP BY status
            """, [app, limit])
        return try await read([counts]) { rows in
            let found: [(User.Status, Int)] = try rows[0].all { columns in (try columns.next(), try columns.next()) }
            return Dictionary(uniqueKeysWithValues: found)
        }
    }

    package func users(with means: SignInMeans, app: AppID, amongNewest bound: Int) async throws -> CountedUsers {
        // In a CASE, the server looks up each user. As conditions, these would be joins that read the whole tables.
        let count = Statement(
            """
            SELECT count(CASE WHEN \(Self.condition(of: means)) THEN 1 END), count(*) FROM (
                SELECT id FROM users WHERE app_id = $1 ORDER BY created_at DESC, id DESC LIMIT \(bound)
            ) AS found
            """, [app])
        return try await read([count]) { rows in
            try rows[0].first { CountedUsers(count: try $0.next(), read: try $0.next(), of: bound) }
                ?? CountedUsers(count: 0, read: 0, of: bound)
        }
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
            let users: [String] = try await read([page]) { rows in try rows[0].all { try $0.next() } }
            found.formUnion(users)
            rest -= users.count
        }
        return CountedUsers(count: found.count, read: bound - rest, of: bound)
    }

    package func users(
        app: AppID, status: User.Status?, after place: ListPlace, limit: Int
    ) async throws -> [User] {
        let page = """
            FROM users WHERE app_id = $1 AND ($2::text IS NULL OR status = $2) AND (created_at, id) < ($3, $4)
            ORDER BY created_at DESC, id DESC LIMIT $5
            """
        let values: [(any PostgresValue)?] = [app, status?.rawValue, place.time, place.id, limit]
        let statements = [
            Statement("SELECT \(User.columns) \(page)", values),
            Statement(
                """
                SELECT \(IdentifierRow.columns) FROM identifiers
                WHERE app_id = $1 AND user_id = ANY (ARRAY(SELECT id \(page))) ORDER BY position
                """, values),
        ]
        return try await read(statements) { try Self.users($0) }
    }

    package func users(_ lookup: UserLookup, app: AppID) async throws -> [User] {
        let ids = """
            ANY (ARRAY(
                SELECT unnest($2::text[])
                UNION ALL SELECT user_id FROM external_ids WHERE app_id = $1 AND external_id = ANY ($3::text[])
                UNION ALL SELECT user_id FROM identifiers
                JOIN unnest($4::text[], $5::text[]) AS wanted (type, canonical) USING (type, canonical)
                WHERE app_id = $1))
            """
        let values: [(any PostgresValue)?] = [
            app, TextArray(lookup.ids), TextArray(lookup.externalIDs),
            TextArray(lookup.identifiers.map(\.type.rawValue)), TextArray(lookup.identifiers.map(\.canonical)),
        ]
        let statements = [
            Statement(
                "SELECT \(User.columns) FROM users WHERE app_id = $1 AND id = \(ids) ORDER BY created_at DESC, id DESC",
                values),
            Statement(
                "SELECT \(IdentifierRow.columns) FROM identifiers WHERE app_id = $1 AND user_id = \(ids) ORDER BY position",
                values),
        ]
        return try await read(statements) { try Self.users($0) }
    }

    /// - Parameter rows: Those of users, and those of their identifiers.
    private static func users(_ rows: [Rows]) throws -> [User] {
        let identifiers = Dictionary(grouping: try rows[1].all(IdentifierRow.init(reading:)), by: \.userID)
        return try rows[0].all(User.init(reading:)).map { user in
            var user = user
            user.add(identifiers[user.id] ?? [])
            return user
        }
    }

    package func counters(
        _ keys: [CounterKey], ofUser userID: String, app: AppID
    ) async throws -> [StoredCounter] {
        try await read(CounterKey.reading(keys, ofUser: userID, app: app)) { rows in
            try rows.flatMap { try $0.all(StoredCounter.init(reading:)) }
        }
    }

    package func userIDs(app: AppID, after id: String?, limit: Int) async throws -> [String] {
        let ids = Statement(
            "SELECT id FROM users WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3", [app, id ?? "", limit])
        return try await read([ids]) { rows in try rows[0].all { try $0.next() } }
    }
}
