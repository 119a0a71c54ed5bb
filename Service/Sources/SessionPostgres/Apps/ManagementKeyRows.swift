internal import SessionDomain

extension ManagementKey {
    static let columns = "id, name, app_id, hash, role, created_by, created_at, expires_at, last_used_at"
    static let all = "SELECT \(columns) FROM management_keys ORDER BY created_at, id"

    init(reading columns: inout ColumnReader) throws {
        self.init(
            id: try columns.next(), name: try columns.next(), appID: try columns.next(), hash: try columns.next(),
            role: try columns.next(), createdBy: try columns.next(), createdAt: try columns.next(),
            expiresAt: try columns.next(), lastUsedAt: try columns.next())
    }

    var insertion: Statement {
        .guarded(
            """
            INSERT INTO management_keys (\(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (hash) DO NOTHING
            """, [id, name, appID, hash, role, createdBy, createdAt, expiresAt, lastUsedAt],
            orFail: .taken(.managementKey(hash: hash)))
    }

    var deletion: Statement { .guarded("DELETE FROM management_keys WHERE id = $1", [id], orFail: .stale) }

    func reassignment(to new: ManagementKey) -> Statement {
        Statement(
            "UPDATE management_keys SET created_by = $1 WHERE created_by = $2",
            [ManagementKey.Creator.key(new.id), ManagementKey.Creator.key(id)])
    }

    static func use(of id: String, at time: Timestamp) -> Statement {
        Statement(
            "UPDATE management_keys SET last_used_at = $1 WHERE id = $2 AND coalesce(last_used_at, 0) < $1", [time, id])
    }
}
