internal import Foundation
internal import SessionDomain
internal import Testing

@testable internal import SessionSQLite

@Suite("Reading what a configuration must fit")
struct DatabaseSummaryTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("session.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    @Test("The apps are read while a store has the database open, and nothing is created without a database")
    func apps() async throws {
        #expect(try DatabaseSummary.read(at: path) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
        let store = try SQLiteStore.open(.file(path))
        #expect(try DatabaseSummary.read(at: path) == DatabaseSummary(apps: [], sealingKeyIDs: []))
        let id = try #require(AppID("abc1234"))
        let app = App(id: id, name: "a", createdAt: Timestamp(seconds: 1))
        #expect(try await store.perform(CreateApp(app, keys: [])))
        #expect(try DatabaseSummary.read(at: path)?.apps == [id])
        try await store.close()
        #expect(try DatabaseSummary.read(at: path)?.apps == [id])
    }

    @Test("The master key that sealed a secret of delivery is found")
    func secrets() async throws {
        let store = try SQLiteStore.open(.file(path))
        var app = App(id: try #require(AppID("abc1234")), name: "a", createdAt: Timestamp(seconds: 1))
        var delivery = DeliveryConfig(at: app.createdAt)
        let sealed = Data("mailkey1 sealed".utf8).base64EncodedString()
        delivery.email = [.init(settings: RouteSettings(kind: .smtp), sealedSecret: sealed)]
        app.delivery = delivery
        #expect(try await store.perform(CreateApp(app, keys: [])))
        #expect(try DatabaseSummary.read(at: path)?.sealingKeyIDs == ["mailkey1"])
        try await store.close()
    }

    @Test("A file that is no database is an error, and an empty one has no summary")
    func others() throws {
        try Data("not a database, but long enough to be taken for one".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: StoreError.self) { try DatabaseSummary.read(at: path) }
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(try DatabaseSummary.read(at: path) == nil)
    }
}
