internal import SessionDomain

extension CanonicalIdentifier {
    init(reading columns: inout ColumnReader) throws {
        self.init(type: try columns.next(), canonical: try columns.next(), value: try columns.next())
    }
}

/// A stored identifier with its owner and its hold.
struct IdentifierRow {
    static let columns =
        "identifiers.user_id, identifiers.type, identifiers.canonical, identifiers.value, identifiers.held_until"

    let userID: String
    let identifier: CanonicalIdentifier
    let heldUntil: Timestamp?

    init(reading columns: inout ColumnReader) throws {
        userID = try columns.next()
        identifier = try CanonicalIdentifier(reading: &columns)
        heldUntil = try columns.next()
    }
}

extension CanonicalIdentifier {
    func insertion(of user: User, heldUntil: Timestamp?) -> Statement {
        .guarded(
            """
            INSERT INTO identifiers (app_id, type, canonical, value, user_id, held_until, position)
            SELECT $1, $2, $3, $4, $5, $6::bigint, coalesce(max(position), 0) + 1
            FROM identifiers WHERE app_id = $1 AND user_id = $5
            ON CONFLICT (app_id, type, canonical) DO NOTHING
            """, [user.appID, type, canonical, value, user.id, heldUntil], orFail: .taken(.identifier(self)))
    }

    func deletion(of user: User) -> Statement {
        .guarded(
            "DELETE FROM identifiers WHERE app_id = $1 AND type = $2 AND canonical = $3 AND user_id = $4",
            [user.appID, type, canonical, user.id], orFail: .stale)
    }
}

extension User {
    var identifierRelease: Statement {
        Statement("UPDATE identifiers SET held_until = NULL WHERE app_id = $1 AND user_id = $2", [appID, id])
    }
}
