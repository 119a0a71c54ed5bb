import FuzzReaders
import Testing

/// Does nothing unless `scripts/fuzz` runs it. Serialized, so that it takes the requested time.
@Suite("Mutations of scripts/fuzz", .serialized)
struct LongFuzzTests {
    @Test("scripts/fuzz runs a reader for the requested time")
    func longReaders() throws {
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

    @Test("scripts/fuzz runs a part of the calls for the requested time", arguments: RouterFuzz.Part.allCases)
    func longCalls(_ part: RouterFuzz.Part) async throws {
        guard let request = FuzzRequest(), request.name == "all" || request.name == part.rawValue else { return }
        var fuzz = try await RouterFuzz(part, seed: request.seed)
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(request.seconds) { try await fuzz.next() }
        print("fuzz: \(part.rawValue): \(fuzz.runs) runs, \(fuzz.accepted.values.reduce(0, +)) accepted")
    }
}
