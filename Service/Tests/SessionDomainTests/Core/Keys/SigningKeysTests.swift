import Foundation
import SessionTokens
import Synchronization
import Testing

@testable import SessionDomain

@Suite("Maintenance of signing keys")
struct SigningKeysTests {
    private let old = KeyRing(current: MasterKey(secret: Data(repeating: 1, count: 32)))
    private let both = KeyRing(
        current: MasterKey(secret: Data(repeating: 2, count: 32)),
        older: [MasterKey(secret: Data(repeating: 1, count: 32))])
    private let new = KeyRing(current: MasterKey(secret: Data(repeating: 2, count: 32)))

    private func app(_ id: String = "domain1") throws -> App { App(id: try appID(id), name: "a", createdAt: now) }

    private func aged(_ id: String, _ ring: KeyRing) throws -> [StoredSigningKey] {
        try [StoredSigningKey.Purpose.access, .challenge].map {
            try ring.makeSigningKey(app: try appID(id), purpose: $0, algorithm: .edDSA, at: now - 90 * 86_400)
        }
    }

    private func signingKeys(_ store: KeyStore, _ ring: KeyRing) -> SigningKeys {
        SigningKeys(store: store, keys: ring, directory: nil, environment: stillEnvironment)
    }

    @Test("A round adds a successor for each key that is due, and the next round changes nothing")
    func round() async throws {
        let store = KeyStore(apps: [try app()], keys: try aged("domain1", old))
        let keys = signingKeys(store, old)
        for _ in 0..<2 { try await keys.maintain { _ in Issue.record("nothing fails") } }
        let states = try await keys.all(of: try appID()).map { "\($0.key.purpose) \($0.state)" }
        #expect(states == ["access pending", "access active", "challenge pending", "challenge active"])
    }

    @Test("A request for a key beyond the maximum is rejected with the reason")
    func full() async throws {
        let many = try (0..<KeyRotation.maximum).map { index in
            try old.makeSigningKey(app: try appID(), purpose: .access, algorithm: .edDSA, at: now - 1 - index)
        }
        let keys = signingKeys(KeyStore(apps: [try app()], keys: many), old)
        let refusal = try #require(
            await #expect(throws: Refusal.self) { try await keys.rotate(.access, of: try appID(), reason: .request) })
        guard case .conflict(let message) = refusal else { throw refusal }
        #expect(message.hasPrefix("there are 32 keys of the purpose access already"))
        try await keys.rotate(.access, of: try appID(), reason: .emergency)
        #expect(try await keys.all(of: try appID()).filter { $0.key.purpose == .access }.count == 1)
    }

    // Proves: K15
    @Test("An app whose keys cannot be read is reported by name, and the other apps are maintained")
    func isolation() async throws {
        let apps = [try app("broken1"), try app()]
        let store = KeyStore(apps: apps, keys: try aged("domain1", old), broken: [try appID("broken1")])
        let reported = Mutex<[String]>([])
        try await signingKeys(store, old).maintain { error in reported.withLock { $0.append("\(error)") } }
        #expect(reported.withLock { $0.count } == 1)
        #expect(reported.withLock { $0.first?.contains("broken1") } == true)
        #expect(try await store.signingKeys(of: try appID()).count == 4)
    }

    @Test("A purpose whose keys fail is reported, and the other purposes are maintained")
    func purposes() async throws {
        let store = KeyStore(apps: [try app()], keys: try aged("domain1", old), stuck: .access)
        let reported = Mutex(0)
        try await signingKeys(store, old).maintain { _ in reported.withLock { $0 += 1 } }
        #expect(reported.withLock { $0 } == 1)
        let keys = try await store.signingKeys(of: try appID())
        #expect(keys.filter { $0.purpose == .access }.count == 1)
        #expect(keys.filter { $0.purpose == .challenge }.count == 2)
    }

    // Proves: K11
    @Test("After resealing, the older master key is not needed; until then a ring with both opens every key")
    func reseal() async throws {
        let stored = try aged("domain1", old)
        let store = KeyStore(apps: [try app()], keys: stored)
        for key in stored {
            #expect(throws: KeyRingError.self) { try new.open(key) }
            #expect(try both.open(key).signer.keyID == key.keyID)
        }
        #expect(try await signingKeys(store, both).reseal() == 2)
        for key in try await store.signingKeys(of: try appID()) {
            #expect(try new.open(key).signer.keyID == key.keyID)
            #expect(try both.open(key).signer.keyID == key.keyID)
            #expect(throws: KeyRingError.self) { try old.open(key) }
        }
        #expect(try await signingKeys(store, both).reseal() == 0)
    }

    @Test("A key that no master key opens stops resealing, and no key is changed")
    func resealStranger() async throws {
        let store = KeyStore(apps: [try app()], keys: try aged("domain1", old))
        await #expect(throws: KeyRingError.self) { try await signingKeys(store, new).reseal() }
        #expect(try await store.signingKeys(of: try appID()).allSatisfy { (try? old.open($0)) != nil })
    }

    @Test(
        "A rotation adds a key of the app's signing algorithm",
        arguments: [
            (KeyAlgorithm.edDSA), .ed25519, .es256, .rs256,
        ])
    func algorithms(_ algorithm: KeyAlgorithm) async throws {
        var app = try app()
        app.signingAlgorithm = try #require(.init(rawValue: algorithm.rawValue))
        let store = KeyStore(apps: [app], keys: try aged("domain1", old))
        let decision = try await signingKeys(store, old).rotate(.access, of: app.id, reason: .request)
        let key = try #require(decision.added)
        #expect(key.algorithm == algorithm)
        #expect(try old.open(key).publicKey.publishedMembers["alg"] == algorithm.rawValue)
    }
}
