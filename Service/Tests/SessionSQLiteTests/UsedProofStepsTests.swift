internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQLite

/// What happens to used proofs in any order, in three processes with one file. The file decides what must be the answer.
@Suite("Used proofs in any order of events")
struct UsedProofStepsTests {
    private struct Undone: Error {}

    /// Numbers from a seed (a linear congruence with Knuth's factor), so that a failure repeats.
    private struct Chance {
        var state: UInt64

        mutating func below(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return Int((state >> 33) % UInt64(limit))
        }
    }

    @Test("A proof is new if, and only if, the file has no row of it that has not expired", arguments: 1...8)
    func steps(seed: UInt64) async throws {
        let file = try ProofFile(lifetime: 100)
        var stores = [try file.open(), try file.open(), try file.open()]
        let observers = stores.map { _ in CommitObserver() }
        for (store, observer) in zip(stores, observers) { store.database.add(transactionObserver: observer) }
        var chance = Chance(state: seed)
        var (clock, accepted, refused): (Int64, Int, Int) = (1_000_000, 0, 0)
        for _ in 0..<150 {
            let index = chance.below(stores.count)
            let (store, name, seconds) = (stores[index], "\(chance.below(6))", clock)
            let now = Timestamp(seconds: seconds)
            switch chance.below(19) {
            case 0..<10:
                let isUsed = try await file.isUsed(name, in: store, at: seconds)
                #expect(try await file.use(name, in: store, at: seconds) != isUsed, "proof \(name) at \(seconds)")
                if isUsed { refused += 1 } else { accepted += 1 }
            case 10..<13: clock += Int64([1, 20, 60, 200][chance.below(4)])
            case 13: clock -= Int64([1, 30, 100, 400][chance.below(4)])
            case 14, 15: _ = try await store.deleteExpired(now: now, limit: 2)
            case 16:
                observers[index].refuseCommits(true)
                await #expect(throws: StoreError.self) {
                    if try await file.isUsed(name, in: store, at: seconds) { try await store.checkWriting() }
                    _ = try await file.use(name, in: store, at: seconds)
                }
                observers[index].refuseCommits(false)
            case 17:
                await #expect(throws: (any Error).self) {
                    try await store.writer.perform { db -> WriteResult<Void> in
                        try db.reserve(file.proof(name, at: seconds), app: file.app, now: now)
                        throw Undone()
                    }
                }
            default:
                try await store.close()
                stores[index] = try file.open()
                stores[index].database.add(transactionObserver: observers[index])
            }
        }
        #expect(accepted > 5 && refused > 5, "the steps meet both answers")
        for store in stores { try await store.close() }
    }
}
