import Foundation
import SessionDomain
import SessionPostgres
import SessionSQLite

/// Where the database is.
enum DatabaseLocation: Equatable {
    /// The path of an embedded database.
    case file(String)
    /// An embedded database that is lost when the process ends.
    case memory
    /// A PostgreSQL server.
    case server(PostgresLocation)

    /// The name for messages: an absolute path, because a path relative to the wrong directory is a common mistake, or a URL
    /// without its password.
    var fullPath: String {
        switch self {
        case .memory: "memory"
        case .file(let path): URL(fileURLWithPath: path).standardizedFileURL.path
        case .server(let location): location.description
        }
    }
}

extension DatabaseLocation {
    init(_ settings: Settings) throws {
        do throws(StoreError) {
            try self.init(settings.text(.database))
        } catch {
            throw settings.error(.database, error.reason)
        }
        guard let password = try settings.content(of: .databasePasswordFile) else { return }
        guard case .server(let location) = self else {
            throw settings.error(.databasePasswordFile, "is for PostgreSQL, and the database is a file")
        }
        guard !location.hasPassword else {
            throw settings.error(
                .databasePasswordFile, "is set, and the URL of the database has a password, too. Remove one")
        }
        self = .server(location.with(password: password))
    }

    /// Reads `sqlite:PATH`, `sqlite::memory:` or `postgresql://…`.
    ///
    /// - Throws: `StoreError.unavailable`, without a password that the text may have.
    init(_ text: String) throws(StoreError) {
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            self = .server(try PostgresLocation(text))
            return
        }
        guard text.hasPrefix("sqlite:"), text.count > "sqlite:".count else {
            throw .unavailable("must be sqlite:PATH, sqlite::memory: or postgresql://USER@HOST:PORT/DATABASE")
        }
        let path = String(text.dropFirst("sqlite:".count))
        // A shell replaces it only at the beginning of a word.
        guard !path.hasPrefix("~") else { throw .unavailable("must not begin with ~: write the full path") }
        self = path == ":memory:" ? .memory : .file(path)
    }
}
