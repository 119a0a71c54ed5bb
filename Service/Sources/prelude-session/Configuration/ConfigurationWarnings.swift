import Foundation
import SessionDomain
import SessionSQLite

/// What an operator should know about a valid configuration, for `check` and for the log of `serve`.
struct ConfigurationWarnings {
    /// One line for each warning, with the remedy.
    let lines: [String]

    init(of configuration: ServiceConfiguration) {
        lines =
            Self.readableSecrets(configuration) + Self.missingDefaultApp(configuration)
            + Self.appsWithoutHost(configuration) + Self.widestProxies(configuration)
            + Self.headersWithoutProxies(configuration) + Self.managementForEveryone(configuration)
            + Self.unnamedProxy(configuration) + Self.otherCertificate(configuration)
            + configuration.settings.openTelemetry.warnings + configuration.warningsOfCollector
    }

    /// Files with secrets that every user of the machine can read. Groups are a decision of the operator.
    private static func readableSecrets(_ configuration: ServiceConfiguration) -> [String] {
        var files: [(path: String, permissions: Int)] = []
        if let file = configuration.settings.file, configuration.settings.fileHasSecrets { files.append(file) }
        for route in configuration.routes {
            guard case .file(let path) = route.route.secret else { continue }
            files.append((path, (try? ReadableFile(path: path).read().permissions) ?? 0))
        }
        let named = [.managementKeyFile, .databasePasswordFile].compactMap { configuration.settings.string($0) }
        for path in named + [configuration.tls?.key].compactMap(\.self) {
            files.append((path, (try? ReadableFile(path: path).read().permissions) ?? 0))
        }
        return files.filter { $0.permissions & 0o004 != 0 }.map {
            "every user of this machine can read \($0.path), which contains secrets. Run: chmod o-rwx \($0.path)"
        }
    }

    /// A service that starts with a new database has no app yet, and its second start rejects an unknown one.
    private static func missingDefaultApp(_ configuration: ServiceConfiguration) -> [String] {
        guard let app = configuration.defaultApp, !configuration.isDevelopment,
            case .file(let path) = configuration.database, !DatabaseFile.exists(at: path)
        else { return [] }
        return [
            "\(configuration.database.fullPath) does not exist yet, and so the default app \(app) does not. Create it with: "
                + "prelude-session app create NAME --id \(app)"
        ]
    }

    /// Only a custom domain of an app reaches it then.
    private static func appsWithoutHost(_ configuration: ServiceConfiguration) -> [String] {
        guard !configuration.isDevelopment, configuration.defaultApp == nil, let url = configuration.publicURL,
            !url.contains("{app_id}")
        else { return [] }
        return [
            "publicUrl \(url) is the same for all apps, and there is no defaultApp: no app is served there, only at custom "
                + "domains. Set defaultApp to the id of the app, or write publicUrl with {app_id}"
        ]
    }

    private static func headersWithoutProxies(_ configuration: ServiceConfiguration) -> [String] {
        guard configuration.trustedProxies.isEmpty else { return [] }
        let keys: [ServiceConfiguration.Key] = [.clientAddressHeader, .countryHeader]
        return keys.filter { configuration.settings.string($0) != nil }.map {
            "\($0.rawValue) has no effect without trustedProxies: nobody is trusted to send the header. Name the addresses "
                + "of your proxies there"
        }
    }

    /// Applies to containers, too: a published port is everyone's unless it is bound to an address.
    private static func managementForEveryone(_ configuration: ServiceConfiguration) -> [String] {
        guard !configuration.isDevelopment else { return [] }
        if let management = configuration.managementListener {
            guard allAddresses.contains(management.host) else { return [] }
            return [
                "the management API (/v2) and /metrics listen on all addresses of this machine. Set managementHost to one that "
                    + "only your backends reach"
            ]
        }
        guard allAddresses.contains(configuration.host) else { return [] }
        return [
            "the listener of the apps is on all addresses of this machine, and serves the management API (/v2) and /metrics, "
                + "too. Set managementPort: then they have a listener of their own"
        ]
    }

    private static let allAddresses: Set = ["0.0.0.0", "::"]

    /// Outside development mode, the public URL begins with https. A service on the loopback may still be in preparation.
    private static func unnamedProxy(_ configuration: ServiceConfiguration) -> [String] {
        guard !configuration.isDevelopment, configuration.tls == nil, configuration.trustedProxies.isEmpty,
            !IPNetwork.isLoopback(host: configuration.host)
        else { return [] }
        return [
            "publicUrl is https, and this service speaks plain HTTP on \(configuration.host), so a proxy does TLS. It is not in "
                + "trustedProxies: limits by address count all its users together. Name its address there, or set "
                + "tlsCertificate"
        ]
    }

    /// A proxy may connect by another name than that of the public URL.
    private static func otherCertificate(_ configuration: ServiceConfiguration) -> [String] {
        guard let url = configuration.publicURL, configuration.trustedProxies.isEmpty, let files = configuration.tls,
            let origins = try? configuration.origins(), let names = try? files.read(configuration.settings).names,
            !origins.areNamed(in: names)
        else { return [] }
        return [
            "the TLS certificate \(files.certificate) is for \(names.isEmpty ? "no name" : names.joined(separator: ", ")), "
                + "and not for the host of publicUrl \(url): clients reject it. Get one for this host"
        ]
    }

    private static func widestProxies(_ configuration: ServiceConfiguration) -> [String] {
        configuration.settings.list(.trustedProxies).filter { $0.hasSuffix("/0") }.map {
            "trustedProxies has \($0), so every caller can claim any address, and limits by address do nothing. Name the "
                + "addresses of your proxies only"
        }
    }
}

/// Routes of the service that carry no codes, because no app has a login by their channel.
struct UnusedRoutes {
    let channels: [OTPLoginConfig.Channel]

    /// - Parameter apps: All apps. Without one of users, the operator has not begun.
    init(of routes: ConfiguredRoutes, apps: [App]) {
        channels = OTPLoginConfig.Channel.allCases.filter { channel in
            !routes[channel].isEmpty && apps.contains { $0.id != .operators }
                && !apps.contains { $0.otpLogins.contains { $0.channel == channel } }
        }
    }

    /// One line for each channel, with the remedy.
    var warnings: [String] {
        channels.map { channel in
            "\(channel.rawValue) has a route, but no app has a login by it: no code is sent. Turn it on with "
                + "`prelude-session app enable --app ID --\(channel.rawValue)`"
        }
    }
}
