internal import Foundation
internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("Changes of settings reach all nodes", .timeLimit(.minutes(1)))
struct SettingsWatchTests {
    /// Longer than a test, so only a notification can be the reason why a change is noticed.
    private static let notified = SettingsWatch.Timing(interval: 600_000)
    /// As on a server without notifications.
    private static let polling = SettingsWatch.Timing(interval: 20, listens: false)

    private func rename(_ app: App, to name: String, on world: ContractWorld) async throws {
        let renamed = UpdateApp(app.id, events: world.events()) { app in
            app.name = name
            return name
        }
        try #require(try await world.store.perform(renamed) == name)
    }

    @Test("Another node is notified of each change, and reads it", arguments: [notified, polling])
    func change(timing: SettingsWatch.Timing) async throws {
        try await TwoNodes.run { nodes in
            let app = try await nodes.first.addApp()
            var changes = nodes.stores[1].settingsChanges(timing).makeAsyncIterator()
            // The first reading counts as a change: the cache may be older.
            try #require(await changes.next() != nil)
            for number in 1...5 {
                try await rename(app, to: "name \(number)", on: nodes.first)
                try #require(await changes.next() != nil)
                #expect(try await nodes.stores[1].app(app.id)?.name == "name \(number)")
            }
        }
    }

    @Test("Each change of what nodes cache increases the revision, and no other change does")
    func revision() async throws {
        try await TwoNodes.run { nodes in
            let (world, connection) = (nodes.first, try TestServer.connect(to: nodes.url))
            let old = App(id: world.app, name: "old", createdAt: world.now)
            let new = App(id: world.app, name: "new", createdAt: world.now)
            let key = StoredSigningKey(
                appID: world.app, purpose: .access, keyID: "key", algorithm: .es256, sealedPrivateKey: Data([1]),
                createdAt: world.now)
            var retired = key
            retired.retiresAt = world.now
            let changes = [
                Change.insertApp(old), .replaceApp(old, with: new), .insertSigningKey(key),
                .replaceSigningKey(key, with: retired), .deleteSigningKey(retired),
            ]
            for (index, change) in changes.enumerated() {
                try await world.write(change)
                let revision: Int = try connection.one(SettingsRevision.current.sql)
                #expect(revision == index + 1)
            }
            _ = try await world.signIn(world.addUser())
            let revision: Int = try connection.one(SettingsRevision.current.sql)
            #expect(revision == changes.count)
        }
    }

    @Test("A change that is not committed notifies no node")
    func refused() async throws {
        try await TwoNodes.run { nodes in
            let app = try await nodes.first.addApp()
            let before: Int = try TestServer.connect(to: nodes.url).one(SettingsRevision.current.sql)
            #expect(
                try await nodes.first.failures(of: .replaceApp(app, with: app), .insertApp(app))
                    == GuardFailures(.taken(.app(app.id))))
            #expect(try TestServer.connect(to: nodes.url).one(SettingsRevision.current.sql) == before)
        }
    }

    @Test("A server without notifications gets none, and the revision grows all the same")
    func withoutNotifications() throws {
        let connection = try TestServer.connect(to: TestServer.emptySchema())
        _ = try Migrator(connection: connection).migrate()
        let statement = SettingsRevision(notifies: false).increase
        #expect(!statement.sql.contains("notify"))
        _ = try connection.run([statement])
        #expect(try connection.one(SettingsRevision.current.sql) == 1)
    }

    @Test("A watch whose connection is lost connects again, and reports what it has missed")
    func lost() async throws {
        try await TwoNodes.run { nodes in
            let app = try await nodes.first.addApp()
            let name = "watch \(try TestServer.connect(to: nodes.url).pid)"
            var options = PoolOptions()
            options.size = 1
            let store = try PostgresStore.open(
                PostgresLocation(nodes.url + "&application_name=" + name.replacing(" ", with: "%20")), options: options)
            var changes = store.settingsChanges(Self.notified).makeAsyncIterator()
            try #require(await changes.next() != nil)
            for number in 1...3 {
                let pids: [Int] = try TestServer.connect(to: nodes.url).run([
                    Statement(
                        "SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND query LIKE 'SELECT revision%'",
                        [name])
                ])[0].all { try $0.next() }
                try #require(pids.count == 1)
                try TestServer.terminate(pids[0])
                try await rename(app, to: "name \(number)", on: nodes.first)
                try #require(await changes.next() != nil)
                #expect(try await store.app(app.id)?.name == "name \(number)")
            }
            await store.close()
        }
    }
}
