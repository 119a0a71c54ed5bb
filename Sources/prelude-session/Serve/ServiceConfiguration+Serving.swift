import Foundation
import SessionDomain
import SessionEgress
import SessionSQLite

@available(service, *)
extension ServiceConfiguration {
    /// Reads the configuration, and checks all that `serve` needs, without starting or changing anything.
    ///
    /// - Parameters: As those of `load`.
    /// - Throws: `InvalidConfiguration` with everything that is wrong.
    static func loadForServing(
        flags: [Key: String], file: String?, environment: [String: String]
    ) throws -> Self {
        var problems = ConfigurationProblems()
        let configuration = read(flags: flags, file: file, environment: environment, problems: &problems)
        if !configuration.settings.hasReadFile { try problems.throwIfAny() }
        configuration.checkServing(environment: environment, problems: &problems)
        try problems.throwIfAny()
        return configuration
    }

    private func checkServing(environment: [String: String], problems: inout ConfigurationProblems) {
        problems.check { try checkHosts() }
        // An invalid value of `development` is reported already. What follows depends on it.
        if (try? settings.flag(.development)) != nil {
            problems.check { try checkReach() }
            problems.check { try checkPublicURL() }
            problems.check { try checkRotating() }
        }
        problems.check { _ = try checkedManagementKeys(now: ServiceEnvironment.live.now()) }
        problems.check { _ = try makeEgressClient() }
        problems.check { _ = try tls?.read(settings) }
        checkDelivery(problems: &problems)
        // With an invalid path there is no database to compare the other settings with.
        guard (try? DatabaseLocation(settings)) != nil else { return }
        problems.check { try checkDatabase(environment: environment) }
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
    private func checkDatabase(environment: [String: String]) throws {
        let source = try MasterKeySource.find(for: self, environment: environment)
        let keys = try source?.read()
        guard case .file(let path) = database, let source else { return }
        try checkIsWritable(database: path)
        try checkFileSystem(ofDatabase: path)
        if keys == nil, case .file(let file) = source, let problem = WritableFolder(of: file.path).problem {
            throw settings.error(.keyFile, problem)
        }
        let summary: DatabaseSummary?
        do {
            summary = try DatabaseSummary.read(at: path)
        } catch {
            throw ConfigurationError(error, opening: database, from: databaseSource)
        }
        guard let summary else { return }
        if let keys {
            let missing = summary.sealingKeyIDs.subtracting(keys.map(\.id))
            guard missing.isEmpty else { throw source.lacks(missing) }
        } else if !summary.apps.isEmpty {
            throw source.isMissing
        }
        try checkDefaultApp(in: summary.apps)
    }

    /// In development mode, an app may be created after the start, through the management API.
    private func checkDefaultApp(in apps: Set<AppID>) throws {
        guard let defaultApp, !isDevelopment, !apps.contains(defaultApp) else { return }
        let similar = NearestName.of(defaultApp.rawValue, in: apps.map(\.rawValue)).map { " Did you mean \($0)?" }
        throw settings.error(
            .defaultApp,
            "there is no app \(defaultApp) in \(database.fullPath).\(similar ?? "") `prelude-session app list` lists the "
                + "apps, and `prelude-session app create NAME --id \(defaultApp)` creates this one")
    }
}
