import Foundation
import PreludeSessionVerifier
import Testing

@Suite("In-memory replay guard")
struct InMemoryReplayGuardTests {
    private let start = Date(timeIntervalSince1970: 1_750_000_000)

    private func reserve(
        _ proof: String, of user: String = "ada", in replayGuard: InMemoryReplayGuard, at: Double = 0,
        for length: Double = 60
    ) async throws -> Bool {
        try await replayGuard.reserve(
            UsedProof(id: proof, userID: user, end: start.addingTimeInterval(at + length)),
            now: start.addingTimeInterval(at))
    }

    @Test("Only the first use of a proof is new")
    func once() async throws {
        let replayGuard = InMemoryReplayGuard()
        #expect(try await reserve("a", in: replayGuard))
        #expect(try await reserve("a", in: replayGuard) == false)
        #expect(try await reserve("b", in: replayGuard))
    }

    @Test("A proof with another end counts as the same proof")
    func otherEnd() async throws {
        let replayGuard = InMemoryReplayGuard()
        #expect(try await reserve("a", in: replayGuard, for: 600))
        #expect(try await reserve("a", in: replayGuard, for: 60) == false)
    }

    @Test("Of 32 concurrent reservations of one proof exactly one succeeds")
    func race() async throws {
        let replayGuard = InMemoryReplayGuard()
        let firsts = try await withThrowingTaskGroup { group in
            for _ in 0..<32 { group.addTask { try await reserve("a", in: replayGuard) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(firsts == 1)
    }

    @Test("A proof is stored until its end and deleted within 30 seconds after it")
    func forgetting() async throws {
        let replayGuard = InMemoryReplayGuard(capacity: 1)
        #expect(try await reserve("a", in: replayGuard))
        #expect(try await reserve("a", in: replayGuard, at: 60) == false)
        #expect(try await reserve("b", in: replayGuard, at: 90))
        #expect(try await reserve("a", in: replayGuard, at: 180))
    }

    @Test("A full guard rejects new proofs and keeps the old ones")
    func capacity() async throws {
        let replayGuard = InMemoryReplayGuard(capacity: 100)
        for number in 0..<100 { #expect(try await reserve("\(number)", of: "usr_\(number)", in: replayGuard)) }
        let full = try await #require(throws: ReplayGuardFull.self) { try await reserve("new", in: replayGuard) }
        #expect(full.capacity == 100)
        #expect(try await reserve("7", in: replayGuard) == false)
        #expect(try await reserve("new", in: replayGuard, at: 120))
    }

    @Test("One user can fill a sixteenth of a guard and does not block other users")
    func capacityPerUser() async throws {
        let replayGuard = InMemoryReplayGuard(capacity: 1600)
        for number in 0..<100 {
            #expect(try await reserve("\(number)", in: replayGuard, for: number < 50 ? 60 : 180))
        }
        let full = try await #require(throws: ReplayGuardFull.self) { try await reserve("new", in: replayGuard) }
        #expect(full.capacity == 100)
        #expect(try await reserve("7", in: replayGuard) == false)
        #expect(try await reserve("other", of: "grace", in: replayGuard))
        for number in 0..<50 { #expect(try await reserve("later \(number)", in: replayGuard, at: 120)) }
        await #expect(throws: full) { try await reserve("new", in: replayGuard, at: 120) }
    }

    @Test("A guard stores at least one proof", arguments: [0, -1, Int.min])
    func smallest(_ capacity: Int) async throws {
        let replayGuard = InMemoryReplayGuard(capacity: capacity)
        #expect(replayGuard.capacity == 1)
        #expect(try await reserve("a", in: replayGuard))
    }
}
