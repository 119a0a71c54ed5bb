internal import Foundation
internal import SessionDomain

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

    /// Adds the identifiers of this user, in their order, and the holds.
    mutating func add(_ rows: [IdentifierRow]) {
        identifiers = rows.map(\.identifier)
        for row in rows where row.heldUntil != nil { heldUntil[row.identifier] = row.heldUntil }
    }

    func insertions(passwordHash: String?) throws -> [Statement] {
        let user = Statement(
            """
            INSERT INTO users (app_id, id, status, external_id, profile, password_hash, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """, [appID, id, status, externalID, try StoredJSON.text(profile), passwordHash, createdAt, updatedAt])
        return [user] + externalIDInsertion
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
    func replacement(with new: User) throws -> [Statement] {
        let update = Statement.guarded(
            """
            UPDATE users SET status = $1, external_id = $2, profile = $3, updated_at = $4
            WHERE app_id = $5 AND id = $6 AND status = $7 AND external_id IS NOT DISTINCT FROM $8 AND updated_at = $9
            """,
            [
                new.status, new.externalID, try StoredJSON.text(new.profile), new.updatedAt, appID, id, status,
                externalID, updatedAt,
            ], orFail: .stale)
        guard new.externalID != externalID else { return [update] }
        let removal = Statement("DELETE FROM external_ids WHERE app_id = $1 AND user_id = $2", [appID, id])
        return [update, removal] + new.externalIDInsertion
    }

    /// Deletes a user. Identifiers and sessions are deleted with it by foreign keys, challenges and grants with the sessions.
    var deletions: [Statement] {
        [
            // In the order in which transactions of several refreshes lock them. The foreign key has no order.
            Statement("SELECT 1 FROM sessions WHERE app_id = $1 AND user_id = $2 ORDER BY id FOR UPDATE", [appID, id]),
            .guarded("DELETE FROM users WHERE app_id = $1 AND id = $2", [appID, id], orFail: .stale),
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
            WHERE app_id = $2 AND id = $3 AND ($4::text IS NULL OR password_hash = $4)
            """, [hash, appID, id, old], orFail: .stale)
    }
}
