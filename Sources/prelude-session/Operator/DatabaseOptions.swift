import ArgumentParser
import Foundation
import SessionDomain
import SessionEgress
import SessionSQLite

/// Where an administration command finds the database; it may run beside the service.
struct DatabaseOptions: ParsableArguments {
    @Option(help: "sqlite:PATH. (default: $PRELUDE_SESSION_DATABASE, else sqlite:prelude-session.sqlite)")
    var database: String?

    @Option(help: "The file with the master keys. (default: $PRELUDE_SESSION_KEY_FILE, else beside the database)")
    var keyFile: String?

    @Flag(help: "Print JSON.")
    var json = false

    /// Opens the service without its network, does the work, and closes.
    func withService(
        keyRotation: KeyRotationPolicy = KeyRotationPolicy(), _ work: (SessionService) async throws -> Void
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let location = try SQLiteLocation(
            configured: database ?? environment["PRELUDE_SESSION_DATABASE"] ?? "sqlite:prelude-session.sqlite")
        let opened = try await OpenedService.open(
            database: location, keyFile: keyFile ?? environment["PRELUDE_SESSION_KEY_FILE"], variables: environment,
            origins: try PublicOrigins(publicURL: "https://localhost"), defaultApp: nil, delivery: nil,
            egress: try EgressClient(policy: EgressPolicy()), keyRotation: keyRotation)
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
