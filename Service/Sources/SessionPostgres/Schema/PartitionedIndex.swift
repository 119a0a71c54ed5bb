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
