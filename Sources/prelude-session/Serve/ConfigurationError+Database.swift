import ArgumentParser
import Foundation
import SessionDomain
import SessionSQLite

extension ConfigurationError {
    /// Why a database could not be opened, which one was tried, who named it, and what to do.
    init(_ error: StoreError, opening database: SQLiteLocation, from source: Settings.Source) {
        let place = "\(database.fullPath) (\(source.explanation))"
        let version = PreludeSessionCommand.configuration.version
        let problem =
            switch error {
            case .missing:
                "there is none at \(place). Name the service's own by --database, PRELUDE_SESSION_DATABASE or --config; "
                    + "serve and app create make a new one"
            case .olderSchema(found: 0, _):
                "\(place) is empty. Start the service, which makes what belongs there"
            case .olderSchema(let found, let supported):
                "\(place) has schema \(found), and this prelude-session \(version) works with \(supported). Only serve "
                    + "migrates: back up, start the service of this version, and try again; or use the command of the "
                    + "version that is running"
            case .newerSchema(let found, let supported):
                "\(place) has schema \(found), and this prelude-session \(version) knows none after \(supported): a newer "
                    + "version has migrated it. Use that one, or restore the backup from before"
            case .overloaded: "\(place) is busy; try again"
            case .unavailable(let reason): "\(place) cannot be opened: \(reason)"
            }
        self.init("database", problem)
    }
}

extension SQLiteLocation {
    /// As it is found from anywhere: a path that is relative to the wrong folder is the usual mistake.
    var fullPath: String {
        switch self {
        case .memory: "memory"
        case .file(let path): URL(fileURLWithPath: path).standardizedFileURL.path
        }
    }
}

extension Settings.Source {
    fileprivate var explanation: String {
        switch self {
        case .flag: "from --database"
        case .environment: "from PRELUDE_SESSION_DATABASE"
        case .file(let path): "from database in \(path)"
        case .nobody: "the default; nothing names another"
        }
    }
}
