internal import Foundation
internal import GRDB
package import SessionDomain
internal import SessionSQL
internal import SessionTokens

/// A new database file that an import fills. It gets its name at the end, so no service opens an unfinished one.
///
/// A run that is killed leaves a file with a table that says how far it came. The next run continues.
package final class SQLiteImportTarget: ImportTarget {
    /// What is appended to the path of the database meanwhile.
    package static let suffix = ".importing"
    private static let marker = "prelude_session_import"

    private let path: String
    private let partial: String
    private var database: DatabaseQueue?
    private var lock: DatabaseLock?

    package init(_ path: String) throws(StoreError) {
        do {
            self.path = try DatabaseFile.resolved(path)
            partial = self.path + Self.suffix
        } catch {
            throw StoreError(error)
        }
    }

    package func begin(at start: ImportPlace) throws -> ImportPlace {
        // SQLite would apply the log or the journal of an old database to the new one.
        guard !["", ".lock", "-wal", "-shm", "-journal"].contains(where: { DatabaseFile.exists(at: path + $0) }) else {
            throw ImportError.notEmpty
        }
        do { lock = try DatabaseLock(partial, .exclusive) } catch StoreError.inUse { throw ImportError.overtaken }
        return try explained {
            if DatabaseFile.exists(at: partial), let place = try found() { return place }
            return try create(at: start)
        }
    }

    private func open() throws -> DatabaseQueue {
        var configuration = ConnectionSettings.configuration
        configuration.label = "prelude-session import"
        return try DatabaseQueue(path: partial, configuration: configuration)
    }

    /// The place where an earlier run has stopped. `nil`: before the first one.
    private func found() throws -> ImportPlace? {
        let database = try open()
        let place = try database.read { db -> ImportPlace? in
            guard try db.tableExists(Self.marker) else { return nil }
            try SQLiteRowReader.checkSchema(of: db)
            return try db.first("SELECT lines, sha256 FROM \(Self.marker)") {
                ImportPlace(lines: try $0.next(), sha256: try $0.next())
            }
        }
        if place == nil { try database.close() } else { self.database = database }
        return place
    }

    private func create(at start: ImportPlace) throws -> ImportPlace {
        for suffix in ["", "-journal"] { try DurableFile.remove(partial + suffix) }
        try DatabaseFile.create(at: partial, owner: FileOwner(beside: path))
        let database = try open()
        _ = try database.writeWithoutTransaction { try Migration.apply(to: $0) }
        try database.write { db in
            try db.execute(sql: "CREATE TABLE \(Self.marker) (lines INTEGER NOT NULL, sha256 TEXT NOT NULL) STRICT")
            try db.run("INSERT INTO \(Self.marker) VALUES (?, ?)", [start.lines, start.sha256])
        }
        self.database = database
        return start
    }

    package func columns(of table: ExportedTable) throws -> [String: ExportedKind] {
        try explained {
            try opened.read { db in
                let columns = try SQLiteExportForm(table, in: db).columns
                return Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.kind) })
            }
        }
    }

    package func append(
        _ rows: [ExportedRow], to table: ExportedTable, from place: ImportPlace, to next: ImportPlace
    ) throws {
        try explained {
            try opened.write { db in
                let update = "UPDATE \(Self.marker) SET lines = ?, sha256 = ? WHERE lines = ? AND sha256 = ?"
                let values: [(any ColumnValue)?] = [next.lines, next.sha256, place.lines, place.sha256]
                guard try db.run(update, values) == 1 else { throw ImportError.overtaken }
                let form = try SQLiteExportForm(table, in: db)
                guard let insertion = form.insertion else { return }
                let columns = form.keptColumns
                for (index, row) in rows.enumerated() {
                    do {
                        try db.run(insertion, columns.map { $0.kind.stored(row[$0.name]) })
                    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                        throw ImportError.unstorable(index: index, StoreError(error).reason)
                    }
                }
            }
        }
    }

    package func finish() throws {
        try explained {
            try opened.write { try $0.execute(sql: "DROP TABLE \(Self.marker)") }
            try opened.close()
            database = nil
            try DurableFile.sync(partial)
            // Unlike a rename, this replaces no file.
            try DurableFile.link(partial, as: path)
            try DurableFile.remove(partial)
            try DurableFile.remove(partial + ".lock")
            let directory = (path as NSString).deletingLastPathComponent
            try DurableFile.sync(directory.isEmpty ? "." : directory)
        }
    }

    package func count(_ table: ExportedTable) throws -> Int {
        try explained { try opened.read { try SQLiteRowReader(db: $0).count(table) } }
    }

    package func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws {
        try explained { try opened.read { try SQLiteRowReader(db: $0).read(table, receive) } }
    }

    package func close() {
        try? database?.close()
        lock?.release()
    }

    private var opened: DatabaseQueue {
        get throws {
            guard let database else { throw StoreError.missing }
            return database
        }
    }
}

/// Runs a step of an export or an import, and describes failures of SQLite without values of rows.
func explained<Answer>(_ work: () throws -> Answer) throws -> Answer {
    do {
        return try work()
    } catch let error as DatabaseError {
        throw StoreError(error)
    } catch let error as RowDecodingError {
        throw StoreError(error)
    }
}

extension ExportedKind {
    /// A value as the statements of this store have it.
    fileprivate func stored(_ value: JSONValue?) -> (any ColumnValue)? {
        switch value {
        case .string(let text) where self == .bytes: return Base64URL.decode(text)
        case .string(let text): return text
        case .int(let number): return number
        default: return nil
        }
    }
}
