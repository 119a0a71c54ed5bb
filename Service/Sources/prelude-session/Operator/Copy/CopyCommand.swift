import ArgumentParser
import Foundation
import SessionDomain

/// `prelude-session copy`: moves a service from an embedded database to PostgreSQL, and back.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy everything from an SQLite database to PostgreSQL. The service must be stopped.",
        discussion: """
            Copies all rows, compares them, and leaves the source as it is. Devices stay signed in. The target must be new. If \
            the command is killed, run it again: it continues. Until it has finished, no service starts with the target. The \
            way back, from PostgreSQL to a new SQLite file, begins again instead.

            The master keys are not copied: give the new nodes the key file of the old service.
            """)

    @Option(
        help: ArgumentHelp(
            "The database to copy, as in --database: sqlite:PATH, or postgresql://… for the way back.",
            valueName: "database"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "The new database: postgresql://USER@HOST:PORT/DATABASE, or sqlite:PATH for the way back.",
            valueName: "database"))
    var to: String

    @Flag(help: "Copy nothing: compare the rows of both databases.")
    var verifyOnly = false

    @Flag(help: "Show no progress.")
    var quiet = false

    func run() async throws {
        try EnvironmentVariables.check()
        let locations = try CopyLocations(from: from, to: to)
        let keys = MovedMasterKeys(of: locations.from)
        let (source, identity) = try locations.openSource()
        defer { source.close() }
        let target = try locations.openTarget()
        defer { target.close() }
        let display = CopyDisplay(isQuiet: quiet, uptime: ServiceEnvironment.live.uptime)
        let copier = DatabaseCopier(from: source, to: target, report: display.show)
        try locations.explained {
            if verifyOnly { return try verify(target, copier, display) }
            let copied = try copier.copy(identity)
            let copying = display.end()
            let findings = try copier.compare()
            let comparing = display.end()
            print(CopySummary(findings).table)
            try copier.finish(after: findings)
            print(CopySummary.times(rows: copied, copying: copying, comparing: comparing))
            print(
                """
                \(locations.from.fullPath) is unchanged. Keep it as a backup, and start no service with it: devices that \
                have used the new database would be signed out.
                \(keys.advice)
                """)
        }
    }

    private func verify(_ target: any CopyTarget, _ copier: DatabaseCopier, _ display: CopyDisplay) throws {
        try target.checkSchema()
        let findings = try copier.compare()
        display.end()
        print(CopySummary(findings).table)
        let different = findings.filter { !$0.isEqual }.map(\.table)
        guard different.isEmpty else { throw CopyError.differs(different) }
        print("Both databases have the same rows.")
    }
}
