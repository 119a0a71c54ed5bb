import ArgumentParser
import Foundation
import SessionDomain
import SessionEgress
import SessionSQLite
import SessionTokens

/// The options of all administration commands: the configuration of the service, and the output format.
///
/// The service may run at the same time.
struct DatabaseOptions: ParsableArguments {
    @OptionGroup var shared: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Opens the service without its network, runs the work, and closes the database.
    ///
    /// - Parameters:
    ///   - flags: Settings from flags of this command.
    ///   - app: The app that the command names. It must exist.
    ///   - keys: Whether the command reads or creates signing keys. Others do not read the master keys.
    ///   - outbound: The option of a command that names a URL. Then the settings for outbound calls apply, and the command
    ///     needs the keys that sign outbound calls.
    ///   - rotating: Whether the command rotates keys. Then the settings for rotation are checked.
    ///   - opening: Whether a missing database is created. Commands never migrate, because an older service may be
    ///     running.
    func withService(
        _ flags: [ServiceConfiguration.Key: String] = [:], of app: AppID? = nil, keys: MasterKeyUse = .none,
        outbound: OutboundOptions? = nil, rotating: Bool = false, opening: OpenMode = .existing,
        _ work: (SessionService) async throws -> Void
    ) async throws {
        let configuration = try shared.configuration(outbound?.flags ?? flags)
        if rotating { try configuration.checkRotating() }
        guard configuration.database != .memory else {
            throw ConfigurationError(
                "database", "commands cannot open a database in memory. Use a file, or the management API")
        }
        let needsKeys = keys == .needed || outbound != nil || rotating
        try await configuration.withAssembly(
            keys: needsKeys ? .needed : .none, opening: opening, allowsOutbound: outbound != nil
        ) { assembly in
            if assembly.store.schema.found == 0 {
                let keys = assembly.createdKeyFile.map { " and its master keys \($0). Back up both" } ?? ""
                FileHandle.standardError.write(
                    Data("Created the database \(configuration.database.fullPath)\(keys).\n".utf8))
            }
            if let app { _ = try await assembly.service.apps.app(app) }
            try await work(assembly.service)
        }
    }

    /// Prints a record as JSON or as aligned lines.
    func show(_ record: Record) throws {
        try show([record])
    }

    func show(_ records: [Record]) throws {
        guard !json else { return try printJSON(records.map { JSONValue($0) }) }
        for (index, record) in records.enumerated() {
            if index > 0 { print("") }
            let width = record.map(\.name.count).max() ?? 0
            for (name, value) in record {
                print(name.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + value.text.escapedForTerminal)
            }
        }
    }

}

extension AppID: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension ServiceConfiguration {
    /// Opens the service without its network for a command, runs the work, and closes the database. Events name the command
    /// line as the actor.
    ///
    /// - Parameters:
    ///   - allowsOutbound: Whether the command may call the URLs that the settings for outbound calls allow.
    ///   - opening: Whether a missing database is created.
    func withAssembly(
        keys: MasterKeyUse, opening: OpenMode, allowsOutbound: Bool = false,
        _ work: (ServiceAssembly) async throws -> Void
    ) async throws {
        let egress = try allowsOutbound ? makeEgressClient() : EgressClient(policy: EgressPolicy())
        do {
            let assembly = try await ServiceAssembly.open(
                self, keys: keys, opening: opening, defaultApp: nil, routes: FixedRoutes([]), egress: egress)
            do {
                try await EventContext.$current.withValue(EventContext(actor: .init(.commandLine))) {
                    try await work(assembly)
                }
            } catch {
                try await assembly.store.close()
                throw error
            }
            try await assembly.store.close()
        } catch {
            await egress.shutdown()
            throw error
        }
        await egress.shutdown()
    }
}

/// The option of commands that name a URL of the operator, which the service calls.
struct OutboundOptions: ParsableArguments {
    @Flag(help: "Allow http and the addresses of this machine in URLs, as development mode does.")
    var development = false

    var flags: [ServiceConfiguration.Key: String] { development ? [.development: "true"] : [:] }
}
