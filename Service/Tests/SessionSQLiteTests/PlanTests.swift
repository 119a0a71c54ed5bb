internal import GRDB
internal import SessionDomain
internal import Synchronization
internal import Testing

@testable internal import SessionSQLite
@testable internal import SessionStoreContract

/// SQLite has no statistics here, and guesses: it takes the rows of an app for few. So a statement about one user can read all
/// rows of the app, unless it names its index.
@Suite("Statements use keys, not all rows of an app")
struct PlanTests {
    /// Tables that grow with the users.
    private static let tables = [
        "users", "identifiers", "sessions", "grants", "challenges", "verifications", "messages", "events", "counters",
        "proofs", "redeemed_challenges", "webhook_deliveries",
    ]

    /// The statements of the whole contract.
    private func statements() async throws -> Set<String> {
        let seen = Recorder()
        for rule in StoreContract.rules {
            let store = try SQLiteStore.open(.memory)
            try await store.database.read { db in
                db.trace { if case .statement(let statement) = $0 { seen.add(statement.sql) } }
            }
            try await rule.check(ContractWorld(store: store))
            try await store.close()
        }
        return seen.all
    }

    private final class Recorder: Sendable {
        private let statements = Mutex<Set<String>>([])
        var all: Set<String> { statements.withLock { $0 } }

        func add(_ sql: String) { statements.withLock { _ = $0.insert(sql) } }
    }

    @Test("No statement of the contract reads all rows of an app, except those that work for all rows")
    func contract() async throws {
        let statements = try await statements().filter { sql in
            ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
        }
        #expect(statements.count > 130)
        for beginning in Self.forAllRows { #expect(statements.contains { $0.hasPrefix(beginning) }, "\(beginning)") }
        let store = try SQLiteStore.open(.memory)
        for sql in statements.sorted() {
            let plan = try await store.database.read { db in
                let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
                statement.setUncheckedArguments([])
                return try Row.fetchAll(statement).map { $0["detail"] as String }
            }
            if plan.contains(where: Self.readsApp) != Self.forAllRows.contains(where: sql.hasPrefix) {
                Issue.record("\(sql)\n\(plan.joined(separator: "\n"))")
            }
        }
        try await store.close()
    }

    /// Whether a step of a plan uses the app only, or nothing, to find rows. Indexes in the order of time are for lists.
    private static func readsApp(_ step: String) -> Bool {
        tables.contains {
            step.hasPrefix("SCAN \($0)") || step.hasPrefix("SEARCH \($0) ") && step.hasSuffix("(app_id=?)")
        }
            && !step.contains("users_by_age") && !step.contains("events_by_time")
    }

    private static let forAllRows = [
        // A change of an app's scopes ends the step-ups of the others. These tables have rows of some minutes only.
        "DELETE FROM challenges WHERE app_id = $1 AND scope", "DELETE FROM grants WHERE app_id = $1 AND scope",
        // Reads a limited number.
        "SELECT count(DISTINCT CASE WHEN scope",
        // Messages that wait, of some minutes.
        "DELETE FROM messages WHERE app_id = $1 AND type = $2 AND canonical = $3",
        "DELETE FROM messages WHERE app_id = $1 AND instr(content, $2) > 0",
        "SELECT app_id, type, route, count(*) FROM messages",
    ]
}
