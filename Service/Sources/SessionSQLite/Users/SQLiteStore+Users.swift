internal import Foundation
internal import GRDB
package import SessionDomain

extension SQLiteStore: UserStore {
    package func user(_ id: String, app: AppID) async throws -> User? {
        try await read { db in try db.user(id, app: app) }
    }

    package func user(with identifier: CanonicalIdentifier, app: AppID) async throws -> User? {
        try await read { db in try db.user(with: identifier, app: app) }
    }

    package func user(externalID: String, app: AppID) async throws -> User? {
        try await read { db in try db.user(externalID: externalID, app: app) }
    }

    package func users(
        app: AppID, status: User.Status?, limit: Int, offset: Int
    ) async throws -> (users: [User], total: Int) {
        let selection = "FROM users WHERE app_id = ?1 AND (?2 IS NULL OR status = ?2)"
        return try await read { db in
            let users = try db.all(
                "SELECT \(User.columns) \(selection) ORDER BY created_at DESC, id DESC LIMIT ?3 OFFSET ?4",
                [app, status?.rawValue, limit, offset], as: User.init(reading:))
            return (
                try users.map(db.withIdentifiers),
                try db.count("SELECT count(*) \(selection)", [app, status?.rawValue])
            )
        }
    }

    package func statuses(ofNewest limit: Int, app: AppID) async throws -> [User.Status: Int] {
        try await read { db in
            let found: [(User.Status, Int)] = try db.all(
                """
                SELECT status, count(*) FROM (
                    SELECT status FROM users WHERE app_id = ? ORDER BY created_at DESC, id DESC LIMIT ?
                ) GROUP BY status
                """, [app, limit]
            ) { columns in (try columns.next(), try columns.next()) }
            return Dictionary(uniqueKeysWithValues: found)
        }
    }

    package func users(with means: SignInMeans, app: AppID, amongNewest bound: Int) async throws -> CountedUsers {
        @Sendable func has(_ type: String) -> String {
            "EXISTS (SELECT 1 FROM identifiers WHERE app_id = ?1 AND user_id = newest.id AND type = \(type))"
        }
        return try await read { db in
            try db.first(
                """
                SELECT count(*) FILTER (
                    WHERE (?3 IS NULL OR \(has("?3"))) AND (?4 IS NULL OR NOT \(has("?4")))
                        AND (NOT ?5 OR has_password)
                        AND (NOT ?6 OR NOT (has_password AND \(has("'\(IdentifierType.emailAddress.rawValue)'"))))
                ), count(*) FROM (
                    SELECT id, password_hash IS NOT NULL AS has_password FROM users
                    WHERE app_id = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2
                ) AS newest
                """, [app, bound, means.identifier, means.missing, means.password == true, means.password == false],
                as: { CountedUsers(count: try $0.next(), read: try $0.next(), of: bound) })
                ?? CountedUsers(count: 0, read: 0, of: bound)
        }
    }

    package func users(
        with type: IdentifierType, in ranges: [Range<String>], app: AppID, among bound: Int
    ) async throws -> CountedUsers {
        let bounds = try JSONEncoder().encode(ranges.map { [$0.lowerBound, $0.upperBound] })
        return try await read { db in
            try db.first(
                """
                SELECT count(DISTINCT user_id), count(*) FROM (
                    SELECT user_id FROM json_each(?1) AS part CROSS JOIN identifiers
                    WHERE app_id = ?2 AND identifiers.type = ?3
                        AND canonical >= part.value ->> 0 AND canonical < part.value ->> 1
                    LIMIT ?4)
                """, [String(decoding: bounds, as: UTF8.self), app, type, bound],
                as: { CountedUsers(count: try $0.next(), read: try $0.next(), of: bound) })
                ?? CountedUsers(count: 0, read: 0, of: bound)
        }
    }

    package func users(
        app: AppID, status: User.Status?, after place: ListPlace, limit: Int
    ) async throws -> [User] {
        try await read { db in
            try db.all(
                """
                SELECT \(User.columns) FROM users
                WHERE app_id = ?1 AND (?2 IS NULL OR status = ?2) AND (created_at, id) < (?3, ?4)
                ORDER BY created_at DESC, id DESC LIMIT ?5
                """, [app, status?.rawValue, place.time, place.id, limit], as: User.init(reading:)
            ).map(db.withIdentifiers)
        }
    }

    package func users(_ lookup: UserLookup, app: AppID) async throws -> [User] {
        try await read { db in
            var found: [String: User] = [:]
            for id in lookup.ids { found[id] = try db.user(id, app: app) }
            for id in lookup.externalIDs {
                if let user = try db.user(externalID: id, app: app) { found[user.id] = user }
            }
            for user in try db.users(owning: lookup.identifiers, externalID: nil, app: app) { found[user.id] = user }
            return found.values.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        }
    }

    package func counters(
        _ keys: [CounterKey], ofUser userID: String, app: AppID
    ) async throws -> [StoredCounter] {
        try await read { db in try db.counters(keys, ofUser: userID, app: app) }
    }

    package func userIDs(app: AppID, after id: String?, limit: Int) async throws -> [String] {
        try await read { db in
            try db.all(
                "SELECT id FROM users WHERE app_id = ? AND id > ? ORDER BY id LIMIT ?", [app, id ?? "", limit]
            ) { try $0.next() }
        }
    }
}
