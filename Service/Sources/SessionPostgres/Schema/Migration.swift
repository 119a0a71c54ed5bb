internal import SessionSQL

/// One numbered step of the schema. Its number and its statements never change.
///
/// Nodes of the version before use the database while a step runs, and after it. docs/stores.md says which statements allow
/// that.
struct Migration: Sendable {
    enum Work: Sendable {
        /// Statements that take milliseconds, in one transaction.
        case transaction([String])
        /// An index of a table that has rows. It is created while others write, which no transaction can contain.
        ///
        /// - Parameter target: What follows `ON`.
        case index(name: String, on: String)
        /// Rewrites rows in one transaction, where SQL is not enough. Others write meanwhile.
        case rows(@Sendable (PostgresConnection) throws -> Void)
    }

    let number: Int
    let name: String
    /// The smallest schema number that a program must support to use the database after this step.
    let usableFrom: Int
    let work: Work

    /// All steps in order. A step has the same number in every store. A number can be missing in a store that does not need
    /// the step.
    static let all = [
        foundation, settingsRevision, eventsByActor, copiedProofs, asciiDomains, locale, payers, passkeys,
    ]

    /// The schema of the last release. That release can use the database after each later step.
    static let released = 10

    static let supported = all.last?.number ?? 0

    /// What begins the step. It reads the schema number, because another node may have been faster.
    var beginning: [Statement] {
        switch work {
        case .transaction, .rows: [.begin, Self.lockedVersion]
        case .index: [Self.version]
        }
    }

    /// What the step then runs, with the number that it writes. Each list is one pipeline.
    ///
    /// - Parameter partitioning: How the tables of the step are split.
    func pipelines(_ partitioning: Partitioning?) -> [[Statement]] {
        switch work {
        case .transaction(let statements):
            return [
                [Self.shortWait] + (partitioning?.applied(to: statements) ?? statements).map { Statement($0) }
                    + [numbering, .commit]
            ]
        case .rows: return [[numbering, .commit]]
        case .index(let name, let target):
            if let index = partitioning.map({ PartitionedIndex(name, on: target, $0) }) {
                return index.creations.map { [$0] }
                    + [[.begin, Self.shortWait] + index.union + [numbering, .commit]]
            }
            // An index whose creation was interrupted is invalid, and has its name.
            return [
                [Statement("DROP INDEX CONCURRENTLY IF EXISTS \(name)")],
                [Statement("CREATE INDEX CONCURRENTLY \(name) ON \(target)")], [numbering],
            ]
        }
    }

    /// The tables that only their owner can change so.
    var changedTables: [String] {
        switch work {
        case .transaction(let statements):
            statements.filter { $0.hasPrefix("ALTER TABLE ") }.compactMap {
                $0.split(separator: " ").dropFirst(2).first
            }
            .map(String.init)
        case .index(_, let target): [String(PartitionedIndex.table(of: target))]
        case .rows: []
        }
    }

    /// What creates tables without rows at once, in a transaction of the caller.
    static func creation(_ partitioning: Partitioning?) -> [Statement] {
        all.flatMap { migration in
            switch migration.work {
            case .transaction(let statements):
                (partitioning?.applied(to: statements) ?? statements).map { Statement($0) }
            case .index(let name, let target): [Statement("CREATE INDEX \(name) ON \(target)")]
            case .rows: [Statement]()
            }
        } + (all.last.map { [$0.numbering] } ?? [])
    }

    /// The same step for tables without rows, in one transaction: it does not wait for other transactions of the database.
    var ofNewTables: Migration {
        guard case .index(let name, let target) = work else { return self }
        return Migration(
            number: number, name: self.name, usableFrom: usableFrom,
            statements: ["CREATE INDEX \(name) ON \(target)"])
    }

    /// The row that says which steps were taken.
    static let version = Statement("SELECT schema FROM prelude_session WHERE id = 1")
    static let lockedVersion = Statement(version.sql + " FOR UPDATE")

    /// Statements of requests wait behind one that waits for the lock of a table, for half a second at most.
    private static let shortWait = Statement("SET LOCAL lock_timeout = '250ms'")

    /// A step never lowers what the database demands of a program, which an import may have raised.
    private var numbering: Statement {
        Statement(
            """
            UPDATE prelude_session SET schema = \(number), usable_from = greatest(coalesce(usable_from, 0), \(usableFrom))
            WHERE id = 1
            """)
    }

    /// Keeps the versions before `copiedProofs` from a database that has such proofs: they would accept them again.
    static let needingCopiedProofs = needing(copiedProofs.number)

    /// Keeps the versions before a step from a database whose rows they would misread.
    static func needing(_ number: Int) -> Statement {
        Statement("UPDATE prelude_session SET usable_from = \(number) WHERE usable_from < \(number)")
    }

    /// What creates that row.
    static let ledger = [
        Statement(
            """
            CREATE TABLE IF NOT EXISTS prelude_session (
                id BIGINT PRIMARY KEY, schema BIGINT NOT NULL, usable_from BIGINT)
            """),
        Statement("INSERT INTO prelude_session (id, schema) VALUES (1, 0) ON CONFLICT (id) DO NOTHING"),
    ]
}

extension Migration {
    /// A step in one transaction.
    init(number: Int, name: String, usableFrom: Int, statements: [String]) {
        self.init(number: number, name: name, usableFrom: usableFrom, work: .transaction(statements))
    }
}

extension Statement {
    /// A role or a database may have another level.
    static let begin = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("COMMIT")
    static let rollback = Statement("ROLLBACK")
    /// A transaction that only reads, all of it in one snapshot.
    static let beginReading = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
}
