internal import GRDB
package import SessionDomain

@available(service, *)
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

    package func users(app: AppID, limit: Int, offset: Int) async throws -> (users: [User], total: Int) {
        try await read { db in
            let users = try db.all(
                """
                SELECT \(User.columns) FROM users WHERE app_id = ?
                ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?
                """, [app, limit, offset], as: User.init(reading:))
            return (
                try users.map(db.withIdentifiers),
                try db.count("SELECT count(*) FROM users WHERE app_id = ?", [app])
            )
        }
    }

    package func userIDs(app: AppID, after id: String?, limit: Int) async throws -> [String] {
        try await read { db in
            try db.all(
                "SELECT id FROM users WHERE app_id = ? AND id > ? ORDER BY id LIMIT ?", [app, id ?? "", limit]
            ) { try $0.next() }
        }
    }
}
