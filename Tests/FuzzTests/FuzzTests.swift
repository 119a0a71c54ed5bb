import FuzzReaders
import Testing

/// Checks every reader of untrusted input with a few thousand mutations, which are the same in each run.
///
/// Serialized, because all readers in parallel would block the threads of tests that wait for a network.
@Suite("Mutated input", .serialized)
struct FuzzTests {
    @Test(
        "No mutation of its input makes a reader break a rule", .timeLimit(.minutes(5)), arguments: try FuzzTarget.all()
    )
    func short(_ target: FuzzTarget) async throws {
        for seed in target.seeds { _ = try target.check(Array(seed.utf8)) }
        #expect(try target.check(Array(target.seeds[0].utf8)), "the reader rejects its first seed")
        for seed in UInt64(1)...200 {
            #expect(try target.run(seed: seed) { $0 < 10 }.runs == 10)
            await Task.yield()
        }
    }

    /// Does nothing unless `scripts/fuzz` runs it.
    @Test("scripts/fuzz runs a reader for the requested time")
    func long() throws {
        guard let request = FuzzRequest() else { return }
        let known = try FuzzRequest.names()
        try #require(request.name == "all" || known.contains(request.name), "the target must be all or one of \(known)")
        for target in try FuzzTarget.all() where request.name == "all" || request.name == target.name {
            let start = ContinuousClock.now
            let result = try target.run(seed: request.seed) { runs in
                runs % 100 != 0 || start.duration(to: .now) < .seconds(request.seconds)
            }
            print("fuzz: \(target.name): \(result.runs) runs, \(result.accepted) accepted")
        }
    }
}

extension FuzzTarget: CustomTestStringConvertible {
    package var testDescription: String { name }
}
