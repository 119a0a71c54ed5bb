import Foundation
import PreludeSessionTesting
import SessionDomain
import Synchronization
import Testing

@testable internal import SessionPostgres
@testable internal import SessionSQL

extension Trait where Self == EachStore {
    /// The worlds of the tests are on PostgreSQL if `PRELUDE_SESSION_STORE` is `postgres`, otherwise on SQLite in memory.
    static var eachStore: Self { EachStore() }
}

/// Runs tests over the store of this run.
struct EachStore: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard ProcessInfo.processInfo.environment["PRELUDE_SESSION_STORE"] == "postgres" else {
            return try await function()
        }
        let stores = PostgresStores()
        do {
            try await ServiceWorld.$openStore.withValue({ _ in try stores.open() }, operation: function)
        } catch {
            try await stores.empty()
            throw error
        }
        try await stores.empty()
    }
}

/// The stores of one test, on the server that `PRELUDE_SESSION_POSTGRES` names. They are used again after it, because
/// connections and tables cost more than a test.
private final class PostgresStores: Sendable {
    private static let free = Mutex<[PostgresStore]>([])
    private static let schemas = Mutex(0)
    private let used = Mutex<[PostgresStore]>([])

    func open() throws -> PostgresStore {
        let store = try Self.free.withLock { $0.popLast() } ?? Self.make()
        used.withLock { $0.append(store) }
        return store
    }

    func empty() async throws {
        for store in used.withLock(\.self) {
            try await store.change([Self.deletion]) { _ in }
            Self.free.withLock { $0.append(store) }
        }
    }

    /// Empties all tables except those that belong to the schema.
    private static let deletion = Statement(
        """
        DO $$ BEGIN
            EXECUTE (SELECT 'TRUNCATE ' || string_agg(quote_ident(tablename), ', ') FROM pg_tables
                WHERE schemaname = current_schema() AND tablename NOT IN ('prelude_session', 'settings_revision'));
        END $$
        """)

    private static func make() throws -> PostgresStore {
        guard let url = ProcessInfo.processInfo.environment["PRELUDE_SESSION_POSTGRES"] else {
            throw StoreError.unavailable("PRELUDE_SESSION_POSTGRES must name a server, see CONTRIBUTING.md")
        }
        let number = schemas.withLock { count in
            count += 1
            return count
        }
        let schema = "stories_\(ProcessInfo.processInfo.processIdentifier)_\(number)"
        let connection = try PostgresServer(location: PostgresLocation(url)).connect()
        _ = try connection.run([Statement("CREATE SCHEMA \(schema)")])
        var options = PoolOptions()
        options.size = 4
        return try PostgresStore.open(PostgresLocation("\(url)?options=-csearch_path%3D\(schema)"), options: options)
    }
}
