internal import SessionDomain

extension App {
    init(reading columns: inout ColumnReader) throws { self = try StoredJSON.value(try columns.next()) }

    func insertion() throws -> Statement {
        .guarded(
            "INSERT INTO apps (id, created_at, settings) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
            [id, createdAt, try StoredJSON.text(self)], orFail: .taken(.app(id)))
    }

    /// The row is locked since it was read, so it is as it was read.
    func update() throws -> Statement {
        .guarded("UPDATE apps SET settings = $1 WHERE id = $2", [try StoredJSON.text(self), id], orFail: .stale)
    }
}
