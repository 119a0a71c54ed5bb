import Foundation
import SessionTokens
import Synchronization
import Testing

@testable import SessionDomain

@Suite("Time since a process first saw a key")
struct KeyFirstSeenTests {
    /// A system clock that can be set, and uptime.
    private final class Clocks: Sendable {
        private let state = Mutex((now: SessionDomainTests.now, uptime: Int64(7_000_000)))

        var environment: ServiceEnvironment {
            ServiceEnvironment(
                now: { [self] in state.withLock(\.now) }, uptime: { [self] in state.withLock(\.uptime) },
                randomBytes: stillEnvironment.randomBytes, sleep: { _ in })
        }

        func wait(_ seconds: Int) {
            state.withLock { $0 = ($0.now + seconds, $0.uptime + Int64(seconds) * 1000) }
        }

        func set(by seconds: Int) { state.withLock { $0.now = $0.now + seconds } }
    }

    private let clocks = Clocks()
    private let first: StoredSigningKey

    init() throws { first = try #require(try TestApp.signingKeys.get().first) }

    private func store() throws -> KeyStore {
        KeyStore(apps: [App(id: try appID(), name: "a", createdAt: now)], keys: try TestApp.signingKeys.get())
    }

    private func directory(_ store: KeyStore) throws -> AppDirectory {
        AppDirectory(
            store: store, keys: TestApp.keys, origins: try PublicOrigins(publicURL: "https://session.example.com"),
            defaultApp: nil, keyRotation: KeyRotationPolicy(),
            environment: clocks.environment)
    }

    private func signs(_ directory: AppDirectory) async throws -> String {
        try await directory.app(try appID()).accessKey.keyID
    }

    /// Another node creates a successor.
    private func rotate(_ store: KeyStore) async throws -> String {
        let keys = SigningKeys(store: store, keys: TestApp.keys, directory: nil, environment: clocks.environment)
        return try #require(try await keys.rotate(.access, of: try appID(), reason: .request).added).keyID
    }

    @Test("After a clock jump past its activeFrom, a key signs only after the full waiting time by uptime")
    func jump() async throws {
        let store = try store()
        let directory = try directory(store)
        #expect(try await signs(directory) == first.keyID)
        let next = try await rotate(store)
        clocks.wait(5)
        #expect(try await signs(directory) == first.keyID)
        clocks.set(by: 86_400)
        #expect(try await signs(directory) == first.keyID)
        #expect(try await directory.app(try appID()).accessKeys.key(id: next) != nil)
        clocks.wait(334)
        #expect(try await signs(directory) == first.keyID)
        clocks.wait(1)
        #expect(try await signs(directory) == next)
    }

    @Test("Without a clock jump, a key signs from its activeFrom on, even if it was first seen late")
    func noJump() async throws {
        let store = try store()
        let directory = try directory(store)
        _ = try await signs(directory)
        let next = try await rotate(store)
        clocks.wait(60)
        _ = try await signs(directory)
        clocks.wait(334)
        #expect(try await signs(directory) == first.keyID)
        clocks.wait(1)
        #expect(try await signs(directory) == next)
    }

    @Test(
        "A process that starts takes the age of existing keys from its clock and waits for the rest of the time by uptime"
    )
    func start() async throws {
        let store = try store()
        let next = try await rotate(store)
        clocks.wait(100)
        let directory = try directory(store)
        #expect(try await signs(directory) == first.keyID)
        clocks.set(by: 86_400)
        clocks.wait(234)
        #expect(try await signs(directory) == first.keyID)
        clocks.wait(1)
        #expect(try await signs(directory) == next)
        #expect(try await signs(self.directory(store)) == next)
    }

    @Test("After an emergency the new key signs at once, because there is no other key")
    func emergency() async throws {
        let store = try store()
        let directory = try directory(store)
        _ = try await signs(directory)
        let keys = SigningKeys(store: store, keys: TestApp.keys, directory: directory, environment: clocks.environment)
        let next = try await keys.rotate(.access, of: try appID(), reason: .emergency).added
        #expect(try await signs(directory) == next?.keyID)
    }
}
