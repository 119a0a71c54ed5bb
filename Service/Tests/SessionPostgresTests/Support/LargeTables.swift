internal import SessionDomain

@testable import SessionPostgres
@testable internal import SessionSQL

/// Tables that are large enough for the planner, all with one app.
enum LargeTables {
    /// All tables that grow with the users, except deliveries to webhooks.
    static let names = Partitioning.keys.keys.filter { $0 != "webhook_deliveries" } + ["copied_proofs"]
    private static let size = 100_000

    /// The URL of the schema. The first caller fills it.
    static var url: String {
        get async throws { try await filling.value }
    }

    /// Not on the threads that all tests share: several callers would block all of them for seconds.
    private static let filling = Task { try await onOwnThread(fill) }

    private static func fill() throws -> String {
        let url = try TestServer.emptySchema()
        let connection = try TestServer.connect(to: url)
        _ = try Migrator(connection: connection).migrate()
        let rows = "FROM generate_series(1, \(size)) AS n"
        let tables = [
            "users SELECT 'contra1', n, 'active', NULL, '{}', 'hash', 0, n, n",
            "identifiers SELECT 'contra1', 'email_address', n, n, n, 1, NULL",
            """
            sessions SELECT 'contra1', n, n, 0, 'key', 'proof', NULL, '', FALSE, '', NULL, '', '', '', '', n, n, n, 0,
                n, n, NULL, n
            """,
            "proofs SELECT 'contra1', n, n", "copied_proofs SELECT 'contra1', n, n",
            "redemptions SELECT 'contra1', n, 'login', n",
            "counters SELECT 'contra1', n, 1, n", "grants SELECT 'contra1', n, n, n, 'pay', 'single-use', 0, n",
            "challenges SELECT 'contra1', n, n, n, 'pay', 'single-use', 1, '[]', NULL, n, n, 0, 0, n, NULL, NULL",
            """
            verifications SELECT 'contra1', n, 'email_address', n, n, '', NULL, FALSE, '', NULL, n, NULL, NULL, 0, 0, n,
                n
            """,
            """
            messages SELECT 'contra1', n, 'email_address', n, n, '{}', FALSE, '{}', n, n, 'sent', 0, '[]', 0, n, NULL
            """,
            """
            events SELECT 'contra1', n, n, 'user.created', n, '{}', n,
                CASE WHEN n % 3 = 0 THEN '{"actor":{"id":"usr_' || n % 50 || '","type":"operator"}}'
                    ELSE '{"actor":{"type":"client"}}' END
            """,
            "external_ids SELECT 'contra1', n, n",
            """
            passkeys SELECT 'contra1', n, n, '', '', 0, '', 'example.com', '', TRUE, TRUE, NULL, n, NULL
            """,
        ]
        // Nothing checks the foreign keys of these rows.
        _ = try connection.run([Statement("SET session_replication_role = replica")])
        // Short transactions: a long one would keep the events of other tests waiting.
        for table in tables { _ = try connection.run([Statement("INSERT INTO \(table) \(rows)")]) }
        // The other tables of the server belong to other tests.
        _ = try connection.run(tables.map { Statement("ANALYZE \($0.prefix { $0 != " " })") })
        return url
    }
}
