import ArgumentParser
import Foundation

/// Starts the service and what it is compared with, and measures all scenarios in rounds.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Start the service, measure all scenarios, and print medians and ratios.")

    @Option(help: "The program of the service. (default: prelude-session beside this program)")
    var service: String?

    @Option(help: "A folder for the databases, on the disk that is measured. (default: the temporary folder)")
    var folder: String?

    @Option(help: "Rounds. The results are medians.")
    var rounds = 5

    @Option(help: "Seconds of each phase.")
    var seconds = 8.0

    @Flag(help: "Three rounds of short phases: less than two minutes.")
    var quick = false

    @Flag var part = Part.all

    @Option(help: "A file that describes another server, for comparison. See Benchmarks/peers.")
    var peer: String?

    @Flag(help: "Let servers and generator use all cores.")
    var unpinned = false

    func validate() throws {
        guard rounds > 0, seconds > 0 else { throw ValidationError("--rounds and --seconds must be positive") }
    }

    func run() async throws {
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let program =
            service.map { URL(fileURLWithPath: $0) }
            ?? own.deletingLastPathComponent().appendingPathComponent("prelude-session")
        let base = folder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let work = base.appendingPathComponent("service-benchmark-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: work) }
        let plan = Plan(rounds: quick ? 3 : rounds, seconds: quick ? 1.2 : seconds, part: part)
        let suite = try await Suite(
            plan: plan, service: program, own: own, folder: work, cores: Cores(pinned: !unpinned),
            peer: try peer.map { try Peer(file: URL(fileURLWithPath: $0)) })
        let interruption = Interruption(stopping: suite.processes, removing: work)
        defer {
            suite.stop()
            interruption.cancel()
        }
        try await suite.run()
    }
}

/// How long is measured.
struct Plan {
    let rounds: Int
    /// Seconds of each phase.
    let seconds: Double
    var part = Part.all
}

/// What is measured.
enum Part: EnumerableFlag {
    case all, refresh, codes, passwords

    static func name(for part: Part) -> NameSpecification {
        switch part {
        case .all: .long
        case .refresh: .customLong("refresh-only")
        case .codes: .customLong("codes-only")
        case .passwords: .customLong("passwords-only")
        }
    }

    static func help(for part: Part) -> ArgumentHelp? {
        switch part {
        case .all: "All scenarios."
        case .refresh: "Only the refresh and its bound, for work on the hot path."
        case .codes: "Only logins with a code, and the refresh that they are compared with."
        case .passwords: "Only password logins, bare password hashes, and refreshes beside password logins."
        }
    }
}
