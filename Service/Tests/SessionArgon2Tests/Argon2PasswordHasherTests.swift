internal import SessionDomain
internal import Testing

@testable internal import SessionArgon2

@Suite("Argon2 password hasher")
struct Argon2PasswordHasherTests {
    private static let cheap = Argon2Cost(uncheckedPasses: 1, memory: 8192)
    private let hasher: Argon2PasswordHasher

    init() throws {
        hasher = try Argon2PasswordHasher(cost: Self.cheap, slots: 2, waitingLimit: 100, engine: .sodium())
    }

    /// Made with argon2-cffi 25.1.0 (the reference implementation in C), hash length 32:
    /// `hash_secret(password.encode(), salt, time_cost, memory_cost, parallelism, 32, Type.ID)`.
    private static let foreign = [
        "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$gy5SuVm5Z7Vw7keB9se9p87QGcomaseB/S2U1OhTsM0",
        "$argon2id$v=19$m=8192,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$E00YDK579zCFKHdylDWWbt4Db/32fqyFEYPCGpqFXXw",
    ]

    @Test("A hash of the reference implementation is verified", arguments: foreign)
    func foreignHash(hash: String) async throws {
        let right = try await hasher.verify("correct horse battery staple", against: hash)
        #expect(right == .right(needsUpgrade: false))
        for wrong in ["correct horse battery stapl", "Correct horse battery staple", "", "x"] {
            #expect(try await hasher.verify(wrong, against: hash) == .wrong)
        }
    }

    @Test("A hash of the reference implementation with several lanes is verified")
    func lanes() async throws {
        let hash = "$argon2id$v=19$m=8192,t=1,p=4$MDEyMzQ1Njc4OWFiY2RlZg$SxAfWaoxPGE/aw/B9wRINOLbaJ4ZWZ3IeeVDdbe8RHk"
        #expect(try await hasher.verify("x", against: hash) == .right(needsUpgrade: false))
        #expect(try await hasher.verify("y", against: hash) == .wrong)
    }

    @Test("A password is normalized to NFKC before it is hashed")
    func normalization() async throws {
        // argon2-cffi 25.1.0 over the NFKC form, "fiancée Å" in UTF-8; salt "fedcba9876543210".
        let hash = "$argon2id$v=19$m=8192,t=1,p=1$ZmVkY2JhOTg3NjU0MzIxMA$RU2IlNBRcjAlyyH3WdqIk6A134wl/dfYzmbHFpUOl9k"
        for typed in ["\u{FB01}anc\u{E9}e \u{C5}", "fiance\u{301}e A\u{30A}", "fianc\u{E9}e \u{212B}"] {
            #expect(try await hasher.verify(typed, against: hash) == .right(needsUpgrade: false))
        }
        let upper = try await hasher.verify("Fianc\u{E9}e \u{C5}", against: hash)
        #expect(upper == .wrong)
    }

    @Test("A hash names its scheme and cost, has a random salt and matches only its password")
    func roundTrip() async throws {
        for password in ["correct horse", "", "with\0zero", String(repeating: "ü", count: 2000)] {
            let hash = try await hasher.hash(password)
            #expect(hash.hasPrefix("$argon2id$v=19$m=8192,t=1,p=1$"))
            #expect(try await hasher.hash(password) != hash)
            #expect(try await hasher.verify(password, against: hash) == .right(needsUpgrade: false))
            #expect(try await hasher.verify(password + "x", against: hash) == .wrong)
        }
        let truncated = try await hasher.hash("with\0zero")
        #expect(try await hasher.verify("with", against: truncated) == .wrong)
    }

    @Test(
        "A hash cheaper than the current cost matches and needs an upgrade, a costlier one does not",
        arguments: [(1, 8192, true), (2, 8192, true), (1, 16384, true), (2, 16384, false), (3, 32768, false)])
    func upgrades(passes: Int, memory: Int, needsUpgrade: Bool) async throws {
        let cost = Argon2Cost(uncheckedPasses: passes, memory: memory)
        let stored = try await Argon2PasswordHasher(cost: cost, slots: 1, waitingLimit: 1, engine: .sodium()).hash("p")
        let today = try Argon2PasswordHasher(
            cost: Argon2Cost(uncheckedPasses: 2, memory: 16384), slots: 1, waitingLimit: 1, engine: .sodium())
        #expect(try await today.verify("p", against: stored) == .right(needsUpgrade: needsUpgrade))
    }

    @Test(
        "A cost outside the valid range is rejected",
        arguments: [(0, 19456), (11, 19456), (2, 7167), (2, 1 << 21)])
    func bounds(passes: Int, memory: Int) {
        #expect(throws: Refusal.self) { try Argon2Cost(passes: passes, memory: memory) }
    }

    @Test("The standard cost is in the valid range")
    func standard() throws {
        #expect(try Argon2Cost(passes: 2, memory: 19456) == .standard)
    }
}
