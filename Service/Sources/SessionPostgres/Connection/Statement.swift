internal import SessionDomain

/// A statement with the values of `$1`, `$2`, …. Each connection prepares a text once.
struct Statement: Sendable {
    let sql: String
    let values: [String?]
    /// What it means when the statement changes no row. `nil`: nothing.
    let guarding: FailedGuard?

    init(_ sql: String, _ values: [(any PostgresValue)?] = []) {
        self.init(sql, values, guarding: nil)
    }

    /// Whether a transaction begins with it.
    var isBegin: Bool { sql.hasPrefix("BEGIN") }

    private init(_ sql: String, _ values: [(any PostgresValue)?], guarding: FailedGuard?) {
        self.sql = sql
        self.values = values.map { $0?.postgresText }
        self.guarding = guarding
    }

    /// A change that fails if it changes no row.
    ///
    /// It must fail in the server, because the commit is already on its way: a division by zero does that, and the server
    /// then rolls back instead. Nothing else in these statements divides.
    ///
    /// - Parameter sql: A statement that can have `RETURNING`.
    static func guarded(
        _ sql: String, _ values: [(any PostgresValue)?], orFail failure: FailedGuard
    ) -> Statement {
        Statement("WITH changed AS (\(sql) RETURNING 1) SELECT 1 / count(*) FROM changed", values, guarding: failure)
    }

    /// Fails if a query finds no row.
    static func expecting(
        _ query: String, _ values: [(any PostgresValue)?], orFail failure: FailedGuard
    ) -> Statement {
        Statement("SELECT 1 / count(*) FROM (\(query)) AS found", values, guarding: failure)
    }
}
