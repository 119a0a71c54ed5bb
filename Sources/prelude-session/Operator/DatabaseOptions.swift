import ArgumentParser
import Foundation
import SessionDomain
import SessionEgress
import SessionSQLite

/// What every administration command has: the configuration of the service, on whose database it works, and how it
/// prints. The service may run meanwhile.
struct DatabaseOptions: ParsableArguments {
    @OptionGroup var shared: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Opens the service without its network, does the work, and closes.
    ///
    /// - Parameters:
    ///   - flags: Settings that are flags of this command.
    ///   - rotating: Whether keys get successors, for which the configuration must be good, too.
    ///   - opening: Whether a database is made where there is none. None is migrated: an older service may be running.
    func withService(
        _ flags: [ServiceConfiguration.Key: String] = [:], rotating: Bool = false, opening: Opening = .existing,
        _ work: (SessionService) async throws -> Void
    ) async throws {
        let configuration = try await shared.configuration(flags)
        if rotating { try configuration.checkRotating() }
        guard case .file = configuration.database else {
            throw ConfigurationError(
                "database", "a database in memory is the service's alone; use the management API, or a file")
        }
        let opened = try await OpenedService.open(
            configuration, opening: opening, defaultApp: nil, delivery: nil,
            egress: try EgressClient(policy: EgressPolicy()))
        if opened.store.schema.found == 0 {
            let keys = opened.createdKeyFile.map { ", and master keys in \($0): back up both" } ?? ""
            FileHandle.standardError.write(
                Data("Made a new database, \(configuration.database.fullPath)\(keys).\n".utf8))
        }
        do {
            try await work(opened.service)
        } catch {
            try await opened.store.close()
            throw error
        }
        try await opened.store.close()
    }

    /// Prints a record as JSON or as aligned lines.
    func show(_ record: [(name: String, value: String)]) throws {
        try show([record])
    }

    func show(_ records: [[(name: String, value: String)]]) throws {
        guard !json else {
            let objects = records.map { Dictionary($0.map { ($0.name, $0.value) }) { first, _ in first } }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(objects), as: UTF8.self))
            return
        }
        for (index, record) in records.enumerated() {
            if index > 0 { print("") }
            let width = record.map(\.name.count).max() ?? 0
            for (name, value) in record {
                print(name.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + value)
            }
        }
    }
}

extension AppID: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}
