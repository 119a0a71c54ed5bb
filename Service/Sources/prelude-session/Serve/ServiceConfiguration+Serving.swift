import Foundation
import SessionDomain
import SessionEgress
import SessionPostgres
import SessionSQLite

extension ServiceConfiguration {
    /// Reads the configuration, and checks all that `serve` needs, without starting or changing anything.
    ///
    /// - Parameters:
    ///   - flags, file, environment: As those of `load`.
    ///   - connects: Whether a database server is asked, too. The start asks it when it opens the database.
    /// - Throws: `InvalidConfiguration` with everything that is wrong.
    static func loadForServing(
        flags: [Key: String], file: String?, environment: [String: String], connects: Bool = false
    ) throws -> Self {
        var problems = ConfigurationProblems()
        var configuration = read(flags: flags, file: file, environment: environment, problems: &problems)
        if !configuration.settings.hasReadFile { try problems.throwIfAny() }
        configuration.checkServing(environment: environment, connects: connects, problems: &problems)
        try problems.throwIfAny()
        return configuration
    }

    private mutating func checkServing(
        environment: [String: String], connects: Bool, problems: inout ConfigurationProblems
    ) {
        problems.checkMachine { problems in problems.check { try checkHosts() } }
        // An invalid value of `development` is reported already. What follows depends on it.
        if (try? settings.flag(.development)) != nil {
            problems.check { try checkReach() }
            problems.check { try checkPublicURL() }
            problems.check { try checkRotating() }
        }
        problems.check { _ = try checkedManagementKeys(now: ServiceEnvironment.live.now()) }
        // Files can be mounted late, or be replaced at this moment.
        problems.checkMachine { problems in
            problems.check { _ = try makeEgressClient() }
            problems.check { _ = try tls?.read(settings) }
        }
        checkDelivery(problems: &problems)
        // With an invalid path there is no database to compare the other settings with.
        guard (try? DatabaseLocation(settings)) != nil else { return }
        problems.checkMachine { problems in
            foundDatabase = problems.value(nil) { try checkDatabase(environment: environment, connects: connects) }
        }
    }

    /// Development mode shows all codes.
    private func checkReach() throws {
        guard isDevelopment, !IPNetwork.isLoopback(host: host), !allowsPublicDevelopment else { return }
        throw settings.error(
            .host,
            "other machines can reach \(host), and development mode shows all codes to everyone. "
                + "Use 127.0.0.1, or add --allow-public-development to allow it")
    }

    private func checkPublicURL() throws {
        if !isDevelopment {
            guard let publicURL else {
                throw settings.error(
                    .publicUrl, "is required: the origin at which apps reach the service, with or without {app_id}")
            }
            guard publicURL.hasPrefix("https://") else {
                throw settings.error(.publicUrl, "must begin with https:// outside development mode")
            }
        }
        _ = try origins()
    }

    private func checkHosts() throws {
        try ListenAddress(host: host, port: port).check(settings, host: .host, port: .port, mayBeUsed: true)
        if let managementListener {
            try ListenAddress(host: managementListener.host, port: managementListener.port)
                .check(settings, host: .managementHost, port: .managementPort, mayBeUsed: true)
        }
    }

    /// Checks the folder of the database, the master keys, and that the database fits both keys and default app.
    private func checkDatabase(environment: [String: String], connects: Bool) throws -> DatabaseSummary? {
        let source = try MasterKeySource.find(for: self, environment: environment)
        let keys = try source?.read()
        guard let source else { return nil }
        if case .file(let path) = database {
            try checkIsWritable(database: path)
            try checkFileSystem(ofDatabase: path)
        }
        // A server that is not asked may have apps. Then the start creates no keys.
        if case .server = database, !connects { return nil }
        let summary = try summary(checkingStructure: connects)
        if let keys {
            let missing = (summary?.sealingKeyIDs ?? []).subtracting(keys.map(\.id))
            guard missing.isEmpty else { throw source.lacks(missing) }
        } else if let summary, !summary.apps.isEmpty {
            throw source.isMissing
        } else if case .file(let file) = source, let problem = WritableFolder(of: file.path).problem {
            throw settings.error(.keyFile, problem)
        }
        // The app of a new database can be created after the start.
        if let summary, summary.schema > 0 { try checkDefaultApp(in: summary.apps) }
        return summary
    }

    private func summary(checkingStructure: Bool) throws -> DatabaseSummary? {
        do throws(StoreError) {
            switch database {
            case .memory: return nil
            case .file(let path): return try DatabaseSummary.read(at: path, checkingStructure: checkingStructure)
            case .server(let location): return try DatabaseSummary.read(from: location)
            }
        } catch {
            throw ConfigurationError(error, opening: database, from: databaseSource)
        }
    }

    /// In development mode, an app may be created after the start, through the management API.
    func checkDefaultApp(in apps: Set<AppID>) throws {
        guard let defaultApp, !isDevelopment, !apps.contains(defaultApp) else { return }
        let similar = NearestName.of(defaultApp.rawValue, in: apps.map(\.rawValue)).map { " Did you mean \($0)?" }
        throw settings.error(
            .defaultApp,
            "there is no app \(defaultApp) in \(database.fullPath).\(similar ?? "") `prelude-session app list` lists the "
                + "apps, and `prelude-session app create NAME --id \(defaultApp)` creates this one")
    }
}
