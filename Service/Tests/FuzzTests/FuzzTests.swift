import FuzzReaders
import Testing

/// Checks every reader of untrusted input with a few thousand mutations, which are the same in each run.
@Suite("Mutated input")
struct FuzzTests {
    /// Some of the readers. Those of a share run one after the other, because all readers in parallel would block the threads of
    /// tests that wait for a network. A single share would be the last test to end.
    enum Share: Int, CaseIterable {
        case first, second, third, fourth

        var targets: [FuzzTarget] {
            get throws {
                try FuzzTarget.all().enumerated()
                    .filter { $0.offset % Self.allCases.count == rawValue }.map(\.element)
            }
        }
    }

    // Proves: P4
    @Test("No mutation of its input makes a reader break a rule", .timeLimit(.minutes(5)), arguments: Share.allCases)
    func short(_ share: Share) async throws {
        let targets = try share.targets
        #expect(!targets.isEmpty)
        for target in targets {
            for seed in target.seeds { _ = try target.check(seed) }
            #expect(try target.check(target.seeds[0]), "\(target.name) rejects its first seed")
            for seed in UInt64(1)...200 {
                #expect(try target.run(seed: seed) { $0 < 10 }.runs == 10)
                await Task.yield()
            }
        }
    }
}
