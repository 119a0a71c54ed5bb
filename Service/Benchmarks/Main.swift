import ArgumentParser

/// Measures the session service under load, and what the same work costs without it.
@main
struct ServiceBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service-benchmark",
        abstract: "Measure the session service under load.",
        subcommands: [RunCommand.self, BoundCommand.self, VerifierCommand.self, InProcessCommand.self],
        defaultSubcommand: RunCommand.self)
}

/// Why a measurement is not possible.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
