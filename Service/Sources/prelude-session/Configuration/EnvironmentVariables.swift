import Foundation

/// The names of environment variables that begin with `PRELUDE_SESSION_`.
///
/// An unknown name is an error: a misspelled setting would be ignored, and its default used.
enum EnvironmentVariables {
    static let prefix = "PRELUDE_SESSION_"

    /// The settings of `serve` and of the commands on its database.
    static let settings = ServiceConfiguration.Key.allCases.map(\.variable)

    /// What else this program reads.
    private static let others = [
        "CONFIG", "MASTER_KEYS", "BACKUP_PASSPHRASE", "BACKUP_PASSPHRASE_FILE", "ENDPOINT", "CREDENTIALS",
    ]
    .map { prefix + $0 }

    /// What the scripts and tests of the repository read. They have no effect here, and a shell in which
    /// `scripts/environment` was sourced has some of them.
    private static let ofDevelopment = [
        "JUDGE_PYTHON", "PAGES", "EXPLORE", "POSTGRES", "RULE", "STORE", "TAGGED", "LIBFUZZER", "FUZZ_TARGET",
        "FUZZ_SECONDS", "FUZZ_SEED", "FUZZ_SEEDS", "FUZZ_WORDS",
    ]
    .map { prefix + $0 }

    /// The ends of names that people guess, with those of the settings. Another similar name would be wrong: its error could
    /// show a secret.
    private static let guessed = [
        "_PASSWORD": "_SECRET", "_TOKEN": "_SECRET", "_API_KEY": "_SECRET", "_USER": "_USERNAME", "_SENDER": "_FROM",
    ]

    /// The name that a wrong one was meant to be. The common prefix says nothing about it.
    private static func nearest(to name: String, in known: [String]) -> String? {
        for (end, right) in guessed where name.hasSuffix(end) {
            let meant = name.dropLast(end.count) + right
            return known.first { $0 == meant }
        }
        return NearestName.of(String(name.dropFirst(prefix.count)), in: known.map { $0.dropFirst(prefix.count) })
            .map { prefix + $0 }
    }

    /// - Throws: `InvalidConfiguration` for unknown variables: the default would be used in place of a misspelled one.
    static func check(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        var problems = ConfigurationProblems()
        problems.add(errors(in: environment))
        try problems.throwIfAny()
    }

    /// Returns an error for each unknown name, in the order of names, and one for all variables of Kubernetes.
    static func errors(in environment: [String: String]) -> [ConfigurationError] {
        let known = settings + others
        let links = ServiceLinks(in: environment)
        let understood = Set(known + ofDevelopment + links.names)
        let unknown = environment.keys.filter { $0.hasPrefix(prefix) && !understood.contains($0) }.sorted()
        return (links.error.map { [$0] } ?? [])
            + unknown.map { name in
                let remedy =
                    nearest(to: name, in: known).map { "Did you mean \($0)?" }
                    ?? "Remove it. docs/operating.md and docs/delivery.md list the settings"
                return ConfigurationError(name, "is not a setting. \(remedy)")
            }
    }
}

/// Finds the name that a misspelled one was meant to be.
enum NearestName {
    /// Returns the most similar name, or `nil` if none is similar: at most a third of the characters differ.
    static func of(_ name: String, in names: some Sequence<some StringProtocol>) -> String? {
        let written = name.lowercased()
        let nearest = names.map { (String($0), distance(written, $0.lowercased())) }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }
        guard let (found, edits) = nearest, edits * 3 <= max(written.count, found.count) else { return nil }
        return found
    }

    /// The number of characters to insert, delete, replace or swap with their neighbour (optimal string alignment).
    static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        // Rows of the table of distances between prefixes: of two characters less, of one less, and the current one.
        var (beforePrevious, previous) = ([Int](), Array(0...second.count))
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                let replaced = previous[column] + (first[row] == second[column] ? 0 : 1)
                var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    best = min(best, beforePrevious[column - 1] + 1)
                }
                current.append(best)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[second.count]
    }
}
