import Foundation
import FuzzReaders

/// What `scripts/fuzz` asks for.
struct FuzzWish {
    /// A target, or `all`.
    let name: String
    /// For each of the targets that are asked for.
    let seconds: Double
    let seed: UInt64

    /// All that there is to ask for.
    static func names() throws -> [String] {
        try FuzzTarget.all().map(\.name) + RouterFuzz.Part.allCases.map(\.rawValue)
    }

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
