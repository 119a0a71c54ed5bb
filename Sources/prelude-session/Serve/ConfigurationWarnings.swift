import Foundation
import SessionDomain
import SessionSQLite

/// What an operator should know about a valid configuration, for `check` and for the log of `serve`.
@available(service, *)
struct ConfigurationWarnings {
    /// One line for each warning, with the remedy.
    let lines: [String]

    init(of configuration: ServiceConfiguration) {
        lines =
            Self.readableSecrets(configuration) + Self.missingDefaultApp(configuration)
            + Self.appsWithoutHost(configuration) + Self.widestProxies(configuration)
            + Self.headersWithoutProxies(configuration)
    }

    /// Files with secrets that every user of the machine can read. Groups are a decision of the operator.
    private static func readableSecrets(_ configuration: ServiceConfiguration) -> [String] {
        var files: [(path: String, permissions: Int)] = []
        if let file = configuration.settings.file, configuration.settings.fileHasSecrets { files.append(file) }
        for route in configuration.routes {
            guard case .file(let path) = route.route.secret else { continue }
            files.append((path, (try? ReadableFile(path: path).read().permissions) ?? 0))
        }
        if let key = configuration.tls?.key {
            files.append((key, (try? ReadableFile(path: key).read().permissions) ?? 0))
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

    private static func widestProxies(_ configuration: ServiceConfiguration) -> [String] {
        configuration.settings.list(.trustedProxies).filter { $0.hasSuffix("/0") }.map {
            "trustedProxies has \($0), so every caller can claim any address, and limits by address do nothing. Name the "
                + "addresses of your proxies only"
        }
    }
}
