internal import SessionDomain
internal import SessionSQL

/// Splits the tables that grow with the number of users into partitions, by the hash of a key.
///
/// The columns of the hash are a part of each unique key of the table, as PostgreSQL demands. So a statement that names a key
/// reads one partition.
struct Partitioning: Equatable {
    /// A parameter of the server, which a database, a role or a URL can set.
    static let setting = "prelude_session.partitions"

    /// The columns of the hash, by table. Of all other tables, only `passkeys` has more rows than the configuration, for longer
    /// than minutes: each refresh looks there for its user, and would read all partitions.
    static let keys = [
        "users": "app_id, id", "external_ids": "app_id, external_id", "identifiers": "app_id, canonical",
        "sessions": "app_id, id", "proofs": "app_id, replay_key", "redemptions": "app_id, id",
        "verifications": "app_id, token_hash", "counters": "app_id, key", "challenges": "app_id, id",
        "grants": "app_id, user_id", "events": "app_id, id", "webhook_deliveries": "app_id, event_id",
        "messages": "app_id, id",
    ]

    private static let counts = 2...1024

    /// The number of partitions of each table.
    let count: Int

    /// - Parameter text: The value of the setting.
    /// - Returns: `nil` for a text that is empty: no partitions.
    /// - Throws: `StoreError.unavailable` for a text that is no number of partitions.
    init?(_ text: String) throws(StoreError) {
        if text.isEmpty { return nil }
        guard let count = Int(text), Self.counts.contains(count) else {
            throw .unavailable(
                "\(Self.setting) must be a number from \(Self.counts.lowerBound) to \(Self.counts.upperBound)")
        }
        self.count = count
    }

    /// The setting of the database of a connection.
    static func of(_ connection: PostgresConnection) throws -> Partitioning? {
        let rows = try connection.run([Statement("SELECT coalesce(current_setting($1, TRUE), '')", [setting])])
        return try Partitioning(try rows.first?.first { try $0.next() } ?? "")
    }

    /// How an existing table is split, whatever the setting is now. A table that does not exist yet will be split as the setting
    /// says.
    static func of(_ connection: PostgresConnection, table: Substring) throws -> Partitioning? {
        let query =
            "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass($1) HAVING to_regclass($1) IS NOT NULL"
        let count: Int? = try connection.run([Statement(query, [String(table)])])[0].first { try $0.next() }
        guard let count else { return try of(connection) }
        return try Partitioning(count == 0 ? "" : String(count))
    }

    /// Locks that a partition of each table costs the transaction which creates them. It was 112 with PostgreSQL 15.
    private static let locks = 128

    /// Checks that the server can create the tables in one transaction. Otherwise it would have no locks left for others, for
    /// minutes.
    ///
    /// - Throws: `StoreError.unavailable` with the setting of the server that must grow.
    func check(_ connection: PostgresConnection) throws {
        let names = ["max_connections", "max_locks_per_transaction"]
        let query = "SELECT coalesce(current_setting($1, TRUE), '')"
        let values = try names.map { name in
            try connection.run([Statement(query, [name])])[0].first { try Int($0.next() as String) } ?? nil
        }
        // Another engine may have neither.
        guard let connections = values[0], let each = values[1], connections * each < count * Self.locks else { return }
        throw StoreError.unavailable(
            "\(Self.setting) = \(count) needs more locks than the server has. Set its max_locks_per_transaction to "
                + "\(count * Self.locks / connections + 1), or use at most \(connections * each / Self.locks) partitions"
        )
    }

    /// The statements that create the same tables with partitions.
    func applied(to statements: [String]) -> [String] { statements.flatMap(applied) }

    private func applied(to statement: String) -> [String] {
        let words = statement.split(separator: " ", maxSplits: 3)
        guard words.count > 2, words[0] == "CREATE", words[1] == "TABLE", let key = Self.keys[String(words[2])],
            let end = statement.lastIndex(where: { $0 == "\n" })
        else { return [statement] }
        // The last line ends the columns. It may have storage parameters, which only partitions have.
        let parameters = statement[end...].dropFirst("\n)".count)
        let table = "\(statement[..<end])\n) PARTITION BY HASH (\(key))"
        return [table]
            + (0..<count).map { number in
                """
                CREATE TABLE \(words[2])_\(number) PARTITION OF \(words[2])
                FOR VALUES WITH (MODULUS \(count), REMAINDER \(number))\(parameters)
                """
            }
    }
}

/// An index of a table with partitions. PostgreSQL cannot create or drop it concurrently: only those of its partitions.
struct PartitionedIndex {
    let name: String
    private let table: Substring
    private let columns: Substring
    private let partitions: Range<Int>

    /// - Parameter target: What follows `ON`.
    init(_ name: String, on target: String, _ partitioning: Partitioning) {
        self.name = name
        table = Self.table(of: target)
        columns = target.dropFirst(table.count)
        partitions = 0..<partitioning.count
    }

    static func table(of target: String) -> Substring { target.prefix { $0 != " " } }

    /// Creates the index of each partition while others write. If the step is repeated, those that are complete stay.
    var creations: [Statement] {
        partitions.map { number in
            Statement("CREATE INDEX CONCURRENTLY IF NOT EXISTS \(name)_\(number) ON \(table)_\(number)\(columns)")
        }
    }

    /// Makes one index of them, in milliseconds. It belongs into a transaction, so that no part of it is left.
    var union: [Statement] {
        [Statement("CREATE INDEX \(name) ON ONLY \(table)\(columns)")]
            + partitions.map { Statement("ALTER INDEX \(name) ATTACH PARTITION \(name)_\($0)") }
    }

    /// Drops what an interrupted creation has left.
    func dropInvalid(_ connection: PostgresConnection) throws {
        let query = """
            SELECT relname::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            WHERE relnamespace = current_schema()::regnamespace AND NOT indisvalid AND relname = ANY ($1::text[])
            """
        let names = TextArray(partitions.map { "\(name)_\($0)" })
        for index in try connection.run([Statement(query, [names])])[0].all({ try $0.next() as String }) {
            _ = try connection.run([Statement("DROP INDEX CONCURRENTLY \(index)")])
        }
    }
}
