import ArgumentParser
import Foundation
import SessionDomain

extension ConfigurationError {
    /// Describes why a database could not be opened: its path, the source of the path, and the remedy.
    init(_ error: StoreError, opening database: DatabaseLocation, from source: Settings.Source) {
        let place = "\(database.fullPath) (\(source.explanation))"
        let version = PreludeSessionCommand.configuration.version
        let problem =
            switch error {
            case .missing where database.obstacle != .missing:
                database.obstacle?.problem(of: place, ifMissing: "") ?? "\(place) cannot be opened"
            case .missing:
                "\(place) does not exist. Name the service's database with --database, PRELUDE_SESSION_DATABASE or --config. "
                    + "`serve` and `app create` create a new one"
            case .olderSchema(found: 0, _):
                "\(place) is empty. Start the service: it creates the tables. `prelude-session migrate up` does, too"
            case .olderSchema(let found, let supported):
                "\(place) has schema \(found), and this prelude-session \(version) needs \(supported). Only `serve` and "
                    + "`migrate up` migrate. Back up, start the service of this version, and try again. Or use the command of the "
                    + "version that is running"
            case .newerSchema(let found, let supported):
                "\(place) has schema \(found), and this prelude-session \(version) supports up to \(supported). A newer "
                    + "version has migrated it, and this one cannot use it any more. Use that version, or restore the "
                    + "backup from before the migration"
            case .damaged(let finding):
                "\(place) is damaged: \(finding). Restore a backup with `prelude-session backup restore`; it keeps the "
                    + "damaged file. Without a backup, copy the file and the files beside it, and recover rows with "
                    + "`.recover` of the sqlite3 shell"
            case .inUse: "\(place) is in use by a restore. Try again when it has ended"
            case .overloaded, .locked, .conflict: "\(place) is busy; try again"
            case .unfinishedImport:
                "\(place) has an import that is not finished. Run the same `prelude-session import` again: it continues. Or "
                    + "name another database"
            case .unavailable(let reason): "\(place) cannot be opened: \(reason)"
            }
        self.init("database", problem)
    }
}

extension DatabaseLocation {
    /// Why the file of the database cannot be found.
    fileprivate var obstacle: ReadableFile.Obstacle? {
        if case .file(let path) = self { ReadableFile(path: path).obstacle } else { nil }
    }
}

extension Settings.Source {
    fileprivate var explanation: String {
        switch self {
        case .flag: "from --database"
        case .environment: "from PRELUDE_SESSION_DATABASE"
        case .file(let path): "from `database` in \(path)"
        case .default: "the default"
        }
    }
}
