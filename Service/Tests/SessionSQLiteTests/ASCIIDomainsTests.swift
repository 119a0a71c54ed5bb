internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("Addresses of an earlier schema")
struct ASCIIDomainsTests {
    @Test("They get the ASCII form of their domain, unless it would be another domain")
    func asciiDomains() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.sqlite")
        let database = try DatabaseQueue(path: path)
        _ = try await database.writeWithoutTransaction { db in
            try Migration.apply(Migration.all.filter { $0.number < Migration.asciiDomains.number }, to: db)
        }
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO users (app_id, id, status, profile, created_at, updated_at)
                    VALUES ('testapp', 'usr_1', 'active', '{}', 1000, 1000);
                    INSERT INTO identifiers (app_id, type, canonical, value, user_id, position) VALUES
                        ('testapp', 'email_address', 'ada@b\u{FC}cher.example', 'ada', 'usr_1', 1),
                        ('testapp', 'email_address', 'ada@\u{FF45}xample.com', 'ada', 'usr_1', 2),
                        ('testapp', 'email_address', 'b\u{FC}b@example.com', 'bob', 'usr_1', 3);
                    """)
        }
        try database.close()
        let store = try SQLiteStore.open(.file(path))
        let user = try await store.user("usr_1", app: try #require(AppID("testapp")))
        #expect(
            user?.identifiers.map(\.canonical) == [
                "ada@xn--bcher-kva.example", "ada@\u{FF45}xample.com", "b\u{FC}b@example.com",
            ])
        try await store.close()
    }
}
