import Foundation
import Synchronization
import Testing

@_spi(Service) @testable import PreludeSession

@Suite("Waiting for a lock", .timeLimit(.minutes(5)))
struct FileLockTests {
    /// A clock whose waits return at once.
    private final class Waits: Sendable {
        private let seconds = Mutex(0.0)
        var total: Double { seconds.withLock { $0 } }
        func add(_ wait: Double) { seconds.withLock { $0 += wait } }
    }

    private func withDirectory(_ work: (String, Waits, SDKEnvironment) async throws -> Void) async throws {
        let directory = NSTemporaryDirectory() + "prelude-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileLock.makeDirectory(directory)
        let (clock, waits) = (TestClock(), Waits())
        let environment = SDKEnvironment(
            now: { clock.now }, randomBytes: SDKEnvironment.live.randomBytes, sleep: { waits.add($0) })
        try await work(directory, waits, environment)
    }

    /// Holds a lock like another process: `flock` distinguishes descriptors, not processes.
    private func hold(_ file: String) throws -> Int32 {
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return descriptor
    }

    @Test("Waiting for a stopped holder ends with a timeout, and the work does not run")
    func stoppedHolder() async throws {
        try await withDirectory { directory, waits, environment in
            let lock = FileLock(directory: directory, environment: environment)
            let holder = try hold(directory + "/a.lock")
            let isInside = Gate()
            #expect(try await failure { try await lock.with("a") { await isInside.open() } } == "timeout")
            #expect(await !isInside.isOpen)
            #expect(waits.total >= FileLock.waitLimit && waits.total < FileLock.waitLimit + 1)
            close(holder)
            #expect(try await lock.with("a") { true })
        }
    }

    @Test("Waiting in the same process ends with a timeout too, and the next waiter gets the lock")
    func sameProcess() async throws {
        let lock = AsyncLock()
        let (inside, done, impatient) = (Gate(), Gate(), Gate())
        async let first: Void = lock.with("a") {
            await inside.open()
            await done.wait()
        }
        await inside.wait()
        async let second = failure { try await lock.with("a", waitLimit: { await impatient.wait() }) {} }
        async let third: Bool = lock.with("a") { true }
        await impatient.open()
        #expect(try await second == "timeout")
        await done.open()
        try await first
        #expect(try await third)
    }

    @Test(
        "Waiting lasts as long as a refresh may, by the timeout of the waiting client",
        arguments: [(2, 30), (10, 30), (11, 33)] as [(Double, Double)])
    func clientTimeout(_ timeout: Double, waitLimit: Double) async throws {
        try await withDirectory { directory, waits, environment in
            let fixture = try await ClientFixture()
            var configuration = PreludeSessionClient.Configuration()
            configuration.timeout = timeout
            // A store of the app between client and lock.
            configuration.credentialStore = WrappingStore(
                store: fixture.store, locks: PreludeFileCredentialStore(directory: directory, environment: environment))
            configuration.transport = fixture.transport
            configuration.environment = SDKEnvironment(now: environment.now, randomBytes: environment.randomBytes)
            let client = try PreludeSessionClient(configuration: configuration)
            try await client.invalidateSession()
            let holder = try hold(directory + "/localhost_8080.refresh.lock")
            defer { close(holder) }
            #expect(try await failure { try await client.refresh() } == "timeout")
            #expect(waits.total >= waitLimit && waits.total < waitLimit + 1)
        }
    }

    private struct WrappingStore: PreludeCredentialStore {
        let store: FaultyStore
        let locks: PreludeFileCredentialStore

        func read(_ name: String) async throws -> Data? { try await store.read(name) }
        func write(_ data: Data, to name: String) async throws { try await store.write(data, to: name) }
        func delete(_ name: String) async throws { try await store.delete(name) }

        func withLock<Answer: Sendable>(
            _ name: String, _ work: @Sendable () async throws -> Answer
        ) async throws -> Answer { try await locks.withLock(name, work) }
    }

    // Proves: E3
    @Test("A lock of a stopped process is a timeout and keeps the session, and the next refresh succeeds")
    func stoppedRefresh() async throws {
        try await withDirectory { directory, _, environment in
            let store = PreludeFileCredentialStore(directory: directory, environment: environment)
            let fixture = try await ClientFixture()
            for record in [".session", ".key"] {
                try store.write(
                    try #require(try await fixture.store.read(ClientFixture.name + record)),
                    to: ClientFixture.name + record)
            }
            // Waits for the lock return at once. Waits for the response never return.
            var configuration = PreludeSessionClient.Configuration()
            configuration.credentialStore = store
            configuration.transport = fixture.transport
            configuration.environment = SDKEnvironment(now: environment.now, randomBytes: environment.randomBytes)
            let client = try PreludeSessionClient(configuration: configuration)
            try await client.invalidateSession()
            let holder = try hold(directory + "/localhost_8080.refresh.lock")
            #expect(try await failure { try await client.refresh() } == "timeout")
            #expect(await fixture.transport.count("/refresh") == 0)
            #expect(await client.profile?.sessionID == "ses_1")
            close(holder)
            await fixture.transport.answer("/refresh", fixture.refreshed(1))
            #expect(try await client.refresh().profile.sessionID == "ses_1")
        }
    }
}
