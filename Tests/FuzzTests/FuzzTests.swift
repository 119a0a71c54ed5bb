import Foundation
import FuzzReaders
import Testing

/// Every reader of foreign bytes, with a few thousand mutations that are the same each time.
///
/// One reader at a time: all of them at once would leave no thread to the tests that wait for a network.
@Suite("Mutated input", .serialized)
struct FuzzTests {
    @Test("No mutation breaks a rule of its reader", .timeLimit(.minutes(5)), arguments: try FuzzTarget.all())
    func short(_ target: FuzzTarget) async throws {
        for seed in target.seeds { _ = try target.check(Array(seed.utf8)) }
        #expect(try target.check(Array(target.seeds[0].utf8)), "the first seed is accepted")
        for seed in UInt64(1)...20 {
            #expect(try target.run(seed: seed) { $0 < 100 }.runs == 100)
            await Task.yield()
        }
    }

    /// Does nothing but for `scripts/fuzz`, which says what to run and for how long.
    @Test("As long as somebody asks for")
    func long() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let name = environment["PRELUDE_SESSION_FUZZ_TARGET"],
            let seconds = environment["PRELUDE_SESSION_FUZZ_SECONDS"].flatMap(Double.init)
        else { return }
        let seed = environment["PRELUDE_SESSION_FUZZ_SEED"].flatMap(UInt64.init) ?? 2
        let known = try FuzzTarget.all()
        let targets = known.filter { name == "all" || $0.name == name }
        try #require(!targets.isEmpty, "there is no such target, but: \(known.map(\.name))")
        for target in targets {
            let start = ContinuousClock.now
            let told = try target.run(seed: seed) { runs in
                runs % 100 != 0 || start.duration(to: .now) < .seconds(seconds / Double(targets.count))
            }
            print("fuzz: \(target.name): \(told.runs) runs, \(told.accepted) accepted")
        }
    }
}

extension FuzzTarget: CustomTestStringConvertible {
    package var testDescription: String { name }
}
