internal import SessionDomain
internal import Synchronization
internal import Testing

@testable internal import SessionArgon2

@Suite("Equal work")
struct EqualWorkTests {
    private static let cost = Argon2Cost(uncheckedPasses: 1, memory: 8192)

    /// Records which hashes are verified.
    private final class Recorder: Sendable {
        let verified = Mutex<[String]>([])

        var engine: Argon2Engine {
            Argon2Engine(
                hash: { _, _ in "" },
                verify: { _, hash in
                    self.verified.withLock { $0.append(hash) }
                    return true
                },
                dummy: { cost in "$argon2id$v=19$m=\(cost.memory),t=\(cost.passes),p=1$ZHVtbXk$aGFzaA" })
        }
    }

    @Test("Without a stored hash, the dummy is verified at the current cost, and no password matches (O11)")
    func dummy() async throws {
        let recorder = Recorder()
        let hasher = try Argon2PasswordHasher(cost: Self.cost, slots: 1, waitingLimit: 1, engine: recorder.engine)
        // The engine returns true. The result must not depend on it.
        #expect(try await hasher.verify("anything", against: nil) == .wrong)
        #expect(recorder.verified.withLock { $0 } == ["$argon2id$v=19$m=8192,t=1,p=1$ZHVtbXk$aGFzaA"])
    }

    @Test(
        "An invalid or too costly hash is not computed; the dummy is verified instead (H15)",
        arguments: [
            "$argon2id$v=19$m=4194304,t=1,p=1$c2FsdHNhbHQ$aGFzaA", "$argon2id$v=19$m=8192,t=4000000,p=1$c2FsdA$aGFzaA",
            "$argon2id$v=19$m=8192,t=1,p=17$c2FsdA$aGFzaA", "$argon2id$v=16$m=8192,t=1,p=1$c2FsdA$aGFzaA",
            "$argon2i$v=19$m=8192,t=3,p=1$c2FsdA$aGFzaA", "$argon2id$v=19$t=1,m=8192,p=1$c2FsdA$aGFzaA",
            "$argon2id$v=19$m=+8192,t=1,p=1$c2FsdA$aGFzaA", "$argon2id$v=19$m=99999999999,t=1,p=1$c2FsdA$aGFzaA",
            "$argon2id$v=19$m=8192,t=0,p=1$c2FsdA$aGFzaA", "$argon2id$v=19$m=8192,t=1,p=1$$aGFzaA",
            "$argon2id$v=19$m=8192,t=1,p=1$c2FsdA$aGFzaA$more", "$2b$12$abcdefghijklmnopqrstuv", "password", "",
        ])
    func unacceptable(hash: String) async throws {
        let recorder = Recorder()
        let hasher = try Argon2PasswordHasher(cost: Self.cost, slots: 1, waitingLimit: 1, engine: recorder.engine)
        #expect(!hasher.isAcceptable(hash))
        #expect(try await hasher.verify("anything", against: hash) == .wrong)
        #expect(recorder.verified.withLock { $0 } == ["$argon2id$v=19$m=8192,t=1,p=1$ZHVtbXk$aGFzaA"])
    }

    @Test("The dummy differs from a real hash of the same cost only in salt and result, which are random (O11)")
    func dummyFormat() throws {
        let engine = try Argon2Engine.sodium()
        let real = try engine.hash([1], Self.cost).split(separator: "$")
        let dummies = try (0..<2).map { _ in try engine.dummy(Self.cost).split(separator: "$") }
        for dummy in dummies {
            #expect(dummy.prefix(3) == real.prefix(3) && dummy.map(\.count) == real.map(\.count))
            #expect(try !engine.verify([1], "$" + dummy.joined(separator: "$")))
        }
        #expect(dummies[0][3] != dummies[1][3] && dummies[0][4] != dummies[1][4])
    }

    @Test("A stored hash is verified exactly once")
    func stored() async throws {
        let recorder = Recorder()
        let hasher = try Argon2PasswordHasher(cost: Self.cost, slots: 1, waitingLimit: 1, engine: recorder.engine)
        let hash = "$argon2id$v=19$m=8192,t=1,p=1$c2FsdA$aGFzaA"
        #expect(hasher.isAcceptable(hash))
        #expect(try await hasher.verify("p", against: hash) == .right(needsUpgrade: false))
        #expect(recorder.verified.withLock { $0 } == [hash])
    }

    @Test("An error of the library names its cause and contains no secret")
    func failure() {
        var engine = Recorder().engine
        engine.dummy = { cost throws(Argon2Error) in throw .outOfMemory(kibibytes: cost.memory) }
        let failing = engine
        #expect(throws: Argon2Error.outOfMemory(kibibytes: 8192)) {
            try Argon2PasswordHasher(cost: Self.cost, slots: 1, waitingLimit: 1, engine: failing)
        }
        #expect(Argon2Error.outOfMemory(kibibytes: 8192).description.contains("8192 KiB"))
        #expect(Argon2Error.libraryUnusable.description.contains("libsodium"))
    }
}
