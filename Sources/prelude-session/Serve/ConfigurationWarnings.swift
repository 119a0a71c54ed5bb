import Foundation
import SessionDomain
import SessionSQLite

/// What an operator should know about a valid configuration, for `check` and for the log of `serve`.
@available(service, *)
struct ConfigurationWarnings {
    /// One line for each warning, with the remedy.
    let lines: [String]

    init(of configuration: ServiceConfiguration) {
        lines = Self.readableSecrets(configuration) + Self.missingDefaultApp(configuration)
    }

    /// Files with secrets that every user of the machine can read. Groups are a decision of the operator.
    private static func readableSecrets(_ configuration: ServiceConfiguration) -> [String] {
        var files: [(path: String, permissions: Int)] = []
        if let file = configuration.settings.file, configuration.settings.fileHasSecrets { files.append(file) }
        for route in configuration.routes {
            guard case .file(let path) = route.route.secret else { continue }
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
}
