import Synchronization
import Testing

@testable import SessionDomain

@Suite("An app while the store is away")
struct LastKnownAppTests {
    private static let host = "domain1.session.example.com"
    private let store: KeyStore
    private let directory: AppDirectory
    private let clocks = Clocks()

    private final class Clocks: Sendable {
        /// Time, and uptime in milliseconds.
        let state = Mutex((now: now, uptime: Int64(0)))
    }

    init() throws {
        let clocks = clocks
        store = KeyStore(
            apps: [
                App(id: try appID(), name: "a", createdAt: now),
                App(id: try appID("other00"), name: "b", createdAt: now),
            ],
            keys: try TestApp.signingKeys.get())
        directory = AppDirectory(
            store: store, keys: TestApp.keys,
            origins: try PublicOrigins(publicURL: "https://{app_id}.session.example.com"), defaultApp: nil,
            keyRotation: TestApp.keyRotation,
            environment: ServiceEnvironment(
                now: { clocks.state.withLock(\.now) }, uptime: { clocks.state.withLock(\.uptime) },
                randomBytes: { Array(repeating: 0, count: $0) }, sleep: { _ in }))
    }

    private func wait(_ seconds: Int) {
        clocks.state.withLock { $0 = ($0.now + seconds, $0.uptime + Int64(seconds) * 1000) }
    }

    @Test(
        "It is known for a day of uptime after the last answer of the store",
        arguments: [(0, true), (6, true), (86_399, true), (86_400, false), (200_000, false)])
    func day(seconds: Int, isKnown: Bool) async throws {
        let read = try await directory.app(host: Self.host)
        wait(4)
        _ = try await directory.app(host: Self.host)
        wait(2)
        _ = try await directory.app(host: Self.host)
        store.setAway(true)
        wait(seconds)
        if seconds > AppDirectory.lifetime {
            await #expect(throws: StoreError.self) { try await directory.app(host: Self.host) }
        }
        let known = directory.lastKnownApp(host: Self.host)
        #expect((known != nil) == isKnown)
        if isKnown { #expect(known?.publishedKeys == read.publishedKeys) }
        store.setAway(false)
        _ = try await directory.app(host: Self.host)
        #expect(directory.lastKnownApp(host: Self.host) != nil, "the day begins again")
    }

    @Test(
        "A jump of the clock ends no day, a change of settings neither, and an app that was never opened is not known")
    func others() async throws {
        #expect(directory.lastKnownApp(host: Self.host) == nil)
        _ = try await directory.app(host: Self.host)
        store.setAway(true)
        clocks.state.withLock { $0.now = $0.now + 10 * 86_400 }
        directory.invalidate()
        #expect(directory.lastKnownApp(host: Self.host) != nil)
        #expect(directory.lastKnownApp(host: "other00.session.example.com") == nil)
        #expect(directory.lastKnownApp(host: "unknown.example.com") == nil)
    }
}
