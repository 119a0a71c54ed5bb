internal import GRDB
internal import SessionDomain

extension CanonicalIdentifier {
    static let columns = "type, canonical, value"

    init(reading columns: inout ColumnReader) throws {
        self.init(type: try columns.next(), canonical: try columns.next(), value: try columns.next())
    }
}

/// A stored identifier with its hold.
struct IdentifierRow {
    static let columns = CanonicalIdentifier.columns + ", held_until"

    let identifier: CanonicalIdentifier
    let heldUntil: Timestamp?

    init(reading columns: inout ColumnReader) throws {
        identifier = try CanonicalIdentifier(reading: &columns)
        heldUntil = try columns.next()
    }
}

extension User {
    /// Sets the identifiers with their holds.
    mutating func set(_ rows: [IdentifierRow]) {
        identifiers = rows.map(\.identifier)
        // Identifiers are almost never held, and to remove one from an empty dictionary costs a hash.
        for row in rows where row.heldUntil != nil { heldUntil[row.identifier] = row.heldUntil }
    }
}

extension Database {
    /// The identifiers of a user, in the order in which they were added.
    func identifiers(of userID: String, app: AppID) throws -> [IdentifierRow] {
        try all(Self.identifiersOfUser, [app, userID], as: IdentifierRow.init(reading:))
    }

    private static let identifiersOfUser =
        "SELECT \(IdentifierRow.columns) FROM identifiers WHERE app_id = ? AND user_id = ? ORDER BY position"

    func ownerID(of identifier: CanonicalIdentifier, app: AppID) throws -> String? {
        try first(
            "SELECT user_id FROM identifiers WHERE app_id = ? AND type = ? AND canonical = ?",
            [app, identifier.type, identifier.canonical]
        ) { try $0.next() }
    }

    /// What a device is at an identifier. A free identifier and one of another user cost the same.
    func standing(
        of device: KnownDevice, at identifier: CanonicalIdentifier, app: AppID
    ) throws -> KnownDevice.Standing {
        device.standing(
            atEpoch: try first(
                """
                SELECT users.login_epoch FROM identifiers
                JOIN users ON users.app_id = identifiers.app_id AND users.id = identifiers.user_id
                WHERE identifiers.app_id = ? AND type = ? AND canonical = ? AND user_id = ?
                """, [app, identifier.type, identifier.canonical, device.userID]
            ) { try $0.next() })
    }

    func insert(_ identifier: CanonicalIdentifier, of user: User, heldUntil: Timestamp?) throws {
        try run(
            """
            INSERT INTO identifiers (app_id, type, canonical, value, user_id, held_until, position)
            VALUES (?, ?, ?, ?, ?, ?,
                (SELECT coalesce(max(position), 0) + 1 FROM identifiers WHERE app_id = ? AND user_id = ?))
            ON CONFLICT (app_id, type, canonical) DO NOTHING
            """,
            [
                user.appID, identifier.type, identifier.canonical, identifier.value, user.id, heldUntil, user.appID,
                user.id,
            ], orFail: .taken(.identifier(identifier)))
    }

    func releaseIdentifiers(of user: User) throws {
        try run("UPDATE identifiers SET held_until = NULL WHERE app_id = ? AND user_id = ?", [user.appID, user.id])
    }

    func delete(_ identifier: CanonicalIdentifier, of user: User) throws {
        try run(
            "DELETE FROM identifiers WHERE app_id = ? AND type = ? AND canonical = ? AND user_id = ?",
            [user.appID, identifier.type, identifier.canonical, user.id], orFail: .stale)
    }
}
