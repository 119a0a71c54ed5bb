import FuzzReaders
import Testing

/// Every reader of foreign bytes, with a few thousand mutations that are the same each time.
///
/// One reader, or part of a call, at a time: all of them at once would leave no thread to the tests that wait for a network.
@Suite("Mutated input", .serialized)
struct FuzzTests {
    @Test("No mutation breaks a rule of its reader", .timeLimit(.minutes(5)), arguments: try FuzzTarget.all())
    func short(_ target: FuzzTarget) async throws {
        for seed in target.seeds { _ = try target.check(Array(seed.utf8)) }
        #expect(try target.check(Array(target.seeds[0].utf8)), "the first seed is accepted")
        for seed in UInt64(1)...200 {
            #expect(try target.run(seed: seed) { $0 < 10 }.runs == 10)
            await Task.yield()
        }
    }

    /// Does nothing but for `scripts/fuzz`, which says what to run and for how long.
    @Test("As long as somebody asks for")
    func long() throws {
        guard let wish = FuzzWish() else { return }
        let known = try FuzzWish.names()
        try #require(wish.name == "all" || known.contains(wish.name), "there is no such target, but: \(known)")
        for target in try FuzzTarget.all() where wish.name == "all" || wish.name == target.name {
            let start = ContinuousClock.now
            let told = try target.run(seed: wish.seed) { runs in
                runs % 100 != 0 || start.duration(to: .now) < .seconds(wish.seconds)
            }
            print("fuzz: \(target.name): \(told.runs) runs, \(told.accepted) accepted")
        }
    }
}

extension FuzzTarget: CustomTestStringConvertible {
    package var testDescription: String { name }
}
