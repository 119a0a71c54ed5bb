internal import SessionDomain
internal import SessionSQL

@testable import SessionPostgres

extension TestServer {
    /// A connection that runs statements outside of a store.
    ///
    /// - Parameter isUnhurried: Whether a transaction may stay open for long: a busy machine can stop a test for seconds.
    static func connect(
        to url: String? = nil, patience: Int = 10_000, isUnhurried: Bool = true
    ) throws -> PostgresConnection {
        let location = try PostgresLocation(try url ?? self.url)
        return try PostgresServer(location: location, patience: patience, isUnhurried: isUnhurried).connect()
    }

    /// Ends a connection, as an administrator or a crash does.
    static func terminate(_ pid: Int) throws {
        _ = try connect().run([Statement("SELECT pg_terminate_backend($1::int, 5000)", [pid])])
    }
}

extension PostgresConnection {
    /// The process of the server behind this connection.
    var pid: Int { get throws { try one("SELECT pg_backend_pid()") } }

    /// The only column of the only row.
    func one<Value: ColumnValue>(_ sql: String, _ values: [(any ColumnValue)?] = []) throws -> Value {
        guard let value: Value = try run([Statement(sql, values)])[0].first({ try $0.next() }) else {
            throw StoreError.unavailable("no row")
        }
        return value
    }

    /// The kind of failure of statements.
    func failure(of statements: [Statement], commits: Bool = false) -> PostgresFailure.Kind? {
        do {
            _ = try run(statements, commits: commits)
            return nil
        } catch {
            return error.kind
        }
    }
}
