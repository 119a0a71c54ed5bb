import Foundation
import SessionConformance
import SessionRSA
import SessionTokens
import Synchronization
import Testing

@testable import SessionDomain

@Suite("Keys sealed with a master key that this process does not have")
struct ResealedElsewhereTests {
    private static let oldKey = MasterKey(secret: Data(repeating: 1, count: 32))
    private static let newKey = MasterKey(secret: Data(repeating: 2, count: 32))
    private let old = KeyRing(current: oldKey)
    private let elsewhere = KeyRing(current: newKey, older: [oldKey])

    /// The clock and the log of a process.
    private final class Node: Sendable {
        private let time = Mutex(SessionDomainTests.now)
        private let observer = RecordingObserver()

        var environment: ServiceEnvironment {
            ServiceEnvironment(
                now: { [self] in time.withLock { $0 } }, randomBytes: stillEnvironment.randomBytes, sleep: { _ in }
            ).observed(by: observer)
        }
        var notices: [ServiceNotice] { observer.notices }

        func wait(_ seconds: Int) { time.withLock { $0 = $0 + seconds } }

        func directory(_ store: KeyStore, _ ring: KeyRing) throws -> AppDirectory {
            AppDirectory(
                store: store, keys: ring, origins: try PublicOrigins(publicURL: "https://session.example.com"),
                defaultApp: nil, keyRotation: KeyRotationPolicy(),
                environment: environment)
        }
    }

    private func store() throws -> KeyStore {
        KeyStore(
            apps: [App(id: try appID(), name: "a", createdAt: now)],
            keys: try StoredSigningKey.Purpose.allCases.map {
                try old.makeSigningKey(
                    app: try appID(), purpose: $0, algorithm: $0 == .hook ? .ps256 : .edDSA, at: now - 1000,
                    generateRSAKey: { try FixedRSAKeys.key(0) })
            })
    }

    private func keys(_ store: KeyStore, _ ring: KeyRing, _ node: Node) -> SigningKeys {
        SigningKeys(store: store, keys: ring, directory: nil, environment: node.environment)
    }

    private func ids(_ app: AppRuntime) -> [String?] {
        [app.accessKey.keyID, app.challengeKey.keyID, app.hookKey?.keyID] + app.publishedKeys.map { $0["kid"] }
    }

    // Proves: K12
    @Test("A process without the new master key continues with the keys that it has opened, and reports it once")
    func goesOn() async throws {
        let (store, node) = (try store(), Node())
        let directory = try node.directory(store, old)
        let before = ids(try await directory.app(try appID()))
        #expect(before.count == 5 && before.allSatisfy { $0 != nil })
        #expect(try await keys(store, elsewhere, node).reseal() == 3)
        for _ in 0..<3 {
            node.wait(AppDirectory.lifetime)
            let app = try await directory.app(try appID())
            #expect(ids(app) == before)
            let token = try JWT.sign(["sub": "usr_1"], type: TokenType.accessToken, key: app.accessKey)
            _ = try JWT.verify(
                token, as: [String: String].self, type: TokenType.accessToken,
                keys: try await node.directory(store, elsewhere).app(try appID()).accessKeys)
        }
        #expect(node.notices == [.masterKeyMissing(id: Self.newKey.id)])
        #expect(node.notices.first?.description.contains("restart") == true)
    }

    @Test("An app without requests continues as well, because the housekeeping round has opened its keys")
    func idle() async throws {
        let (store, node) = (try store(), Node())
        let directory = try node.directory(store, old)
        try await SigningKeys(store: store, keys: old, directory: directory, environment: node.environment)
            .maintain { Issue.record($0) }
        _ = try await keys(store, elsewhere, node).reseal()
        node.wait(AppDirectory.lifetime)
        #expect(ids(try await directory.app(try appID())).count == 5)
    }

    // Proves: K12
    @Test("A process that starts without the master key opens no key, and names the missing master key")
    func freshStart() async throws {
        let (store, node) = (try store(), Node())
        _ = try await keys(store, elsewhere, node).reseal()
        let error = await #expect(throws: KeyRingError.self) {
            try await node.directory(store, old).app(try appID())
        }
        #expect(error?.description.contains(Self.newKey.id) == true)
        #expect(node.notices == [.masterKeyMissing(id: Self.newKey.id)])
    }

    @Test("A key added under the missing master key is used only when it can be opened")
    func newKeys() async throws {
        let (store, node) = (try store(), Node())
        let directory = try node.directory(store, old)
        let before = try await directory.app(try appID()).accessKey.keyID
        let added = try await keys(store, elsewhere, node).rotate(.access, of: try appID(), reason: .request).added
        let next = try #require(added).keyID
        for _ in 0..<2 {
            node.wait(396)
            let app = try await directory.app(try appID())
            #expect(app.accessKey.keyID == before)
            #expect(app.accessKeys.key(id: next) == nil)
        }
        // Seal the keys with the old master key again, so that the process can open them.
        _ = try await keys(store, KeyRing(current: Self.oldKey, older: [Self.newKey]), node).reseal()
        node.wait(AppDirectory.lifetime)
        #expect(try await directory.app(try appID()).accessKey.keyID == next)
    }

    // Proves: K12
    @Test("Keys that an emergency removed are not used any more, even if the new key cannot be opened")
    func emergency() async throws {
        let (store, node) = (try store(), Node())
        let directory = try node.directory(store, old)
        _ = try await directory.app(try appID())
        try await keys(store, elsewhere, node).rotate(.access, of: try appID(), reason: .emergency)
        node.wait(AppDirectory.lifetime)
        await #expect(throws: KeyRingError.self) { try await directory.app(try appID()) }
    }
}
