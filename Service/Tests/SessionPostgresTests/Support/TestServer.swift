internal import Foundation
internal import SessionDomain
internal import Synchronization

@testable import SessionPostgres
@testable internal import SessionSQL

/// The server that `scripts/test` starts, with empty databases on it.
enum TestServer {
    /// A missing server is an error: no test of this store is skipped.
    static var url: String {
        get throws {
            guard let url = ProcessInfo.processInfo.environment["PRELUDE_SESSION_POSTGRES"] else {
                throw StoreError.unavailable("PRELUDE_SESSION_POSTGRES must name a server, see CONTRIBUTING.md")
            }
            return url
        }
    }

    private static let schemas = Mutex(0)

    /// The URL of a schema that does not exist in any other test.
    ///
    /// - Parameter partitions: How many partitions its tables get. 0: none.
    static func emptySchema(partitions: Int = 0) throws -> String {
        let name = newName()
        let connection = try PostgresServer(location: PostgresLocation(try url)).connect()
        _ = try connection.run([Statement("CREATE SCHEMA \(name)")])
        let partitioning = partitions > 0 ? "%20-c\(Partitioning.setting)%3D\(partitions)" : ""
        return try url + "?options=-csearch_path%3D\(name)\(partitioning)"
    }

    /// The URL of a database that does not exist in any other test, for tests that look at the connections to it.
    static func emptyDatabase(encoding: String = "UTF8") throws -> String {
        let name = newName()
        let connection = try PostgresServer(location: PostgresLocation(try url), patience: 60_000).connect()
        try connection.run([Statement("SELECT set_config('statement_timeout', '0', FALSE)")])
        // The locale C fits each encoding.
        let encoding = "ENCODING '\(encoding)' LC_COLLATE 'C' LC_CTYPE 'C'"
        try connection.run([Statement("CREATE DATABASE \(name) TEMPLATE template0 \(encoding)")])
        return try url.replacing(#/\/[^\/]*$/#, with: "/\(name)")
    }

    private static func newName() -> String {
        let number = schemas.withLock { count in
            count += 1
            return count
        }
        return "test_\(ProcessInfo.processInfo.processIdentifier)_\(number)"
    }
}

/// Stores whose tables are empty. One is used again after its test, because connections and tables cost more than a test.
enum TestStores {
    private static let free = Mutex<[PostgresStore]>([])

    static func withEmpty(_ body: (PostgresStore) async throws -> Void) async throws {
        let store =
            try free.withLock { $0.popLast() }
            ?? PostgresStore.open(PostgresLocation(TestServer.emptySchema()), options: options)
        try await body(store)
        try await store.empty()
        free.withLock { $0.append(store) }
    }

    static var options: PoolOptions {
        var options = PoolOptions()
        options.size = 4
        return options
    }
}

extension PostgresStore {
    /// Deletes all rows of the service, so that the next test finds none.
    func empty() async throws {
        try await change(Self.emptying) { _ in }
    }

    static let emptying = [
        "events", "webhooks", "apps", "management_keys", "users", "proofs", "copied_proofs", "redemptions",
        "deleted_redemptions", "verifications", "counters", "challenges", "grants", "messages",
    ].map { Statement("DELETE FROM \($0)") }
}
