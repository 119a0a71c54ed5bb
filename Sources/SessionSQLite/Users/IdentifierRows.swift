internal import GRDB
internal import SessionDomain

extension Database {
    /// The identifiers of a user in the order in which they were added.
    func identifiers(of userID: String, app: AppID) throws -> [CanonicalIdentifier] {
        try all(
            """
            SELECT type, canonical, value FROM identifiers WHERE app_id = ? AND user_id = ? ORDER BY position
            """, [app, userID]
        ) { columns in
            CanonicalIdentifier(type: try columns.next(), canonical: try columns.next(), value: try columns.next())
        }
    }

    func ownerID(of identifier: CanonicalIdentifier, app: AppID) throws -> String? {
        try first(
            "SELECT user_id FROM identifiers WHERE app_id = ? AND type = ? AND canonical = ?",
            [app, identifier.type, identifier.canonical]
        ) { try $0.next() }
    }

    /// The unique key decides: `false` when somebody of the app has it.
    func insert(_ identifier: CanonicalIdentifier, of userID: String, app: AppID) throws -> Bool {
        try run(
            """
            INSERT INTO identifiers (app_id, type, canonical, value, user_id, position)
            VALUES (?, ?, ?, ?, ?,
                (SELECT coalesce(max(position), 0) + 1 FROM identifiers WHERE app_id = ? AND user_id = ?))
            ON CONFLICT (app_id, type, canonical) DO NOTHING
            """,
            [app, identifier.type, identifier.canonical, identifier.value, userID, app, userID]) == 1
    }

    func delete(_ identifier: CanonicalIdentifier, of userID: String, app: AppID) throws -> Bool {
        try run(
            "DELETE FROM identifiers WHERE app_id = ? AND type = ? AND canonical = ? AND user_id = ?",
            [app, identifier.type, identifier.canonical, userID]) == 1
    }
}
