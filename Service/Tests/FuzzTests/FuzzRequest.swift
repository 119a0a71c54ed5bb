import Foundation
import FuzzReaders

/// The arguments of `scripts/fuzz`, from environment variables.
struct FuzzRequest {
    /// The name of a target, or `all`.
    let name: String
    /// Seconds for each target.
    let seconds: Double
    let seed: UInt64

    /// The names of all targets.
    static func names() throws -> [String] {
        try FuzzTarget.all().map(\.name) + RouterFuzz.Part.allCases.map(\.rawValue)
    }

    /// Returns `nil` if the tests do not run from `scripts/fuzz`.
    init?() {
        let environment = ProcessInfo.processInfo.environment
        guard let name = environment["PRELUDE_SESSION_FUZZ_TARGET"],
            let total = environment["PRELUDE_SESSION_FUZZ_SECONDS"].flatMap(Double.init),
            let count = try? Self.names().count
        else { return nil }
        self.name = name
        seconds = name == "all" ? total / Double(count) : total
        seed = environment["PRELUDE_SESSION_FUZZ_SEED"].flatMap(UInt64.init) ?? 2
    }
}
