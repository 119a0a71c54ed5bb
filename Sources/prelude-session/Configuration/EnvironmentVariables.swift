/// The names of environment variables that begin with `PRELUDE_SESSION_`.
///
/// An unknown name is an error: a misspelled setting would be ignored, and its default used.
@available(service, *)
enum EnvironmentVariables {
    static let prefix = "PRELUDE_SESSION_"

    /// The settings of `serve` and of the commands on its database.
    static let settings = ServiceConfiguration.Key.allCases.map(\.variable)

    /// What else this program reads.
    private static let others = ["CONFIG", "MASTER_KEYS", "BACKUP_PASSPHRASE", "ENDPOINT", "CREDENTIALS"]
        .map { prefix + $0 }

    /// What the scripts and tests of the repository read. They have no effect here, and a shell in which
    /// `scripts/environment` was sourced has some of them.
    private static let ofDevelopment = [
        "SERVICE", "JUDGE_PYTHON", "PAGES", "EXPLORE", "LIBFUZZER", "FUZZ_TARGET", "FUZZ_SECONDS", "FUZZ_SEED",
        "FUZZ_SEEDS", "FUZZ_WORDS",
    ]
    .map { prefix + $0 }

    /// Returns an error for each unknown name, in the order of names, and one for all variables of Kubernetes.
    static func errors(in environment: [String: String]) -> [ConfigurationError] {
        let known = settings + others
        let links = ServiceLinks(in: environment)
        let understood = Set(known + ofDevelopment + links.names)
        let unknown = environment.keys.filter { $0.hasPrefix(prefix) && !understood.contains($0) }.sorted()
        return (links.error.map { [$0] } ?? [])
            + unknown.map { name in
                let remedy =
                    NearestName.of(name, in: known).map { "Did you mean \($0)?" }
                    ?? "Remove it. `prelude-session serve --help` lists the settings"
                return ConfigurationError(name, "is not a setting. \(remedy)")
            }
    }
}
