import ArgumentParser
import Foundation
import SessionDomain
import SessionEgress
import SessionSQLite

/// The options of all administration commands: the configuration of the service, and the output format.
///
/// The service may run at the same time.
@available(service, *)
struct DatabaseOptions: ParsableArguments {
    @OptionGroup var shared: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Opens the service without its network, runs the work, and closes the database.
    ///
    /// - Parameters:
    ///   - flags: Settings from flags of this command.
    ///   - outbound: The option of a command that names a URL. Then the settings for outbound calls apply.
    ///   - rotating: Whether the command rotates keys. Then the settings for rotation are checked.
    ///   - opening: Whether a missing database is created. Commands never migrate, because an older service may be
    ///     running.
    func withService(
        _ flags: [ServiceConfiguration.Key: String] = [:], outbound: OutboundOptions? = nil, rotating: Bool = false,
        opening: Opening = .existing, _ work: (SessionService) async throws -> Void
    ) async throws {
        let configuration = try await shared.configuration(outbound?.flags ?? flags)
        if rotating { try configuration.checkRotating() }
        guard case .file = configuration.database else {
            throw ConfigurationError(
                "database", "commands cannot open a database in memory. Use a file, or the management API")
        }
        let egress = try EgressClient(policy: outbound == nil ? EgressPolicy() : configuration.egressPolicy)
        do {
            try await withService(of: configuration, opening: opening, egress: egress, work)
        } catch {
            await egress.shutdown()
            throw error
        }
        await egress.shutdown()
    }

    private func withService(
        of configuration: ServiceConfiguration, opening: Opening, egress: EgressClient,
        _ work: (SessionService) async throws -> Void
    ) async throws {
        let assembly = try await ServiceAssembly.open(
            configuration, opening: opening, defaultApp: nil, routes: FixedRoutes([]), egress: egress)
        if assembly.store.schema.found == 0 {
            let keys = assembly.createdKeyFile.map { " and its master keys \($0). Back up both" } ?? ""
            FileHandle.standardError.write(
                Data("Created the database \(configuration.database.fullPath)\(keys).\n".utf8))
        }
        do {
            try await EventContext.$current.withValue(EventContext(actor: .init(.commandLine))) {
                try await work(assembly.service)
            }
        } catch {
            try await assembly.store.close()
            throw error
        }
        try await assembly.store.close()
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
            print(String(decoding: try encoder.encode(objects), as: UTF8.self).escapedJSONForTerminal)
            return
        }
        for (index, record) in records.enumerated() {
            if index > 0 { print("") }
            let width = record.map(\.name.count).max() ?? 0
            for (name, value) in record {
                print(name.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + value.escapedForTerminal)
            }
        }
    }
}

extension AppID: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}
