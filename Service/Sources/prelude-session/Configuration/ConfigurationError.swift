import ArgumentParser
import Foundation
import SessionDomain

/// A setting is invalid or cannot be used.
struct ConfigurationError: Error, CustomStringConvertible {
    /// The name of the setting, as its source writes it.
    let setting: String
    /// What is wrong, and what to do.
    let problem: String
    /// The file and the line of the setting. `nil` for a flag, a variable and a missing setting.
    let place: String?
    /// Whether the same configuration may be right later: the cause is a file, a name or an address of the machine.
    var mayPass = false

    /// Control characters are escaped, because names and paths come from outside, and errors go to terminals and logs.
    init(_ setting: String, _ problem: String, at place: String? = nil) {
        self.setting = setting.prefix(100).description.escapedForTerminal
        self.problem = problem.escapedForTerminal
        self.place = place?.escapedForTerminal
    }

    var description: String { (place.map { "\($0): " } ?? "") + "\(setting): \(problem)" }
}

/// Everything that is wrong with a configuration.
struct InvalidConfiguration: Error, CustomStringConvertible {
    let errors: [ConfigurationError]

    /// Whether the same configuration may be right later.
    var mayPass: Bool { errors.allSatisfy(\.mayPass) }

    var description: String {
        guard errors.count > 1 else { return errors.first?.description ?? "the configuration is invalid" }
        return "the configuration has \(errors.count) errors:\n" + errors.map { "  \($0)\n" }.joined().dropLast()
    }
}

/// Collects what is wrong with a configuration, so that an operator sees everything at once.
struct ConfigurationProblems {
    private(set) var errors: [ConfigurationError] = []

    mutating func add(_ errors: [ConfigurationError]) { self.errors += errors }

    /// Returns what `read` returns. If it throws or returns `nil`, returns the fallback.
    mutating func value<Value>(_ fallback: Value, _ read: () throws -> Value?) -> Value {
        do {
            return try read() ?? fallback
        } catch {
            add(error)
            return fallback
        }
    }

    /// Runs a check and adds its error.
    mutating func check(_ check: () throws -> Void) { value(()) { try check() } }

    /// Marks the errors that `checks` adds: they may pass without a change of the configuration.
    mutating func checkMachine(_ checks: (inout Self) -> Void) {
        let known = errors.count
        checks(&self)
        for index in errors.indices.dropFirst(known) { errors[index].mayPass = true }
    }

    func throwIfAny() throws {
        guard errors.isEmpty else { throw InvalidConfiguration(errors: errors) }
    }

    private mutating func add(_ error: any Error) {
        switch error {
        case let error as ConfigurationError: errors.append(error)
        case let error as InvalidConfiguration: errors += error.errors
        case Refusal.invalidField(let field, let problem): errors.append(ConfigurationError(field, problem))
        default: errors.append(ConfigurationError("configuration", "\(error)"))
        }
    }
}

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
