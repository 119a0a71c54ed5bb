import Testing

@testable import SessionDomain

@Suite("Apps of other processes")
struct NewAppTests {
    private let store: KeyStore
    private let directory: AppDirectory

    init() throws {
        store = KeyStore(
            apps: [App(id: try appID("other00"), name: "other", createdAt: now)], keys: try TestApp.signingKeys.get())
        directory = AppDirectory(
            store: store, keys: TestApp.keys,
            origins: try PublicOrigins(publicURL: "https://{app_id}.session.example.com"), defaultApp: nil,
            keyRotation: TestApp.keyRotation, environment: stillEnvironment)
    }

    private func name(_ host: String) async -> String? { try? await directory.app(host: host).settings.name }

    @Test("An app that another process has created answers at once, under its name and its domain")
    func host() async throws {
        #expect(await name("domain1.session.example.com") == nil)
        var app = App(id: try appID(), name: "new", createdAt: now)
        app.domains = ["auth.example.com"]
        store.add(app)
        #expect(await name("domain1.session.example.com") == "new")
        #expect(await name("auth.example.com") == "new")
    }

    @Test("A webhook of a new app finds its app at once")
    func id() async throws {
        await #expect(throws: Refusal.self) { try await directory.app(try appID()) }
        store.add(App(id: try appID(), name: "new", createdAt: now))
        #expect(try await directory.app(try appID()).settings.name == "new")
    }

    // Proves: N12
    @Test("Any number of requests for unknown hosts costs six reads: the first load and the budget")
    func bounded() async {
        for number in 0..<100 { #expect(await name("unknown\(number).example.com") == nil) }
        #expect(store.readsOfApps == 6)
    }

    @Test("Requests for known hosts cost one read of the apps")
    func known() async {
        for _ in 0..<100 { _ = await name("other00.session.example.com") }
        #expect(store.readsOfApps == 1)
    }
}
