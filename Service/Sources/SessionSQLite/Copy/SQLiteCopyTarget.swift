internal import Foundation
internal import GRDB
package import SessionDomain

/// A new database file that a copy fills. It gets its name at the end, so no service opens an unfinished one.
///
/// A run that is killed leaves a file that the next one deletes.
package final class SQLiteCopyTarget: CopyTarget {
    private let path: String
    private let partial: String
    private var database: DatabaseQueue?
    private var lock: DatabaseLock?

    package init(_ path: String) throws(StoreError) {
        do {
            self.path = try DatabaseFile.resolved(path)
            partial = self.path + ".copying"
        } catch {
            throw StoreError(error)
        }
    }

    package func begin(from source: String?) throws -> CopyPlace {
        // SQLite would apply the log or the journal of an old database to the new one.
        guard !["", ".lock", "-wal", "-shm", "-journal"].contains(where: { DatabaseFile.exists(at: path + $0) }) else {
            throw CopyError.notEmpty
        }
        do { lock = try DatabaseLock(partial, .exclusive) } catch StoreError.inUse { throw CopyError.overtaken }
        try explained {
            for suffix in ["", "-journal"] { try DurableFile.remove(partial + suffix) }
            try DatabaseFile.create(at: partial, owner: FileOwner(beside: path))
            var configuration = ConnectionSettings.configuration
            configuration.label = "prelude-session copy"
            let database = try DatabaseQueue(path: partial, configuration: configuration)
            try database.writeWithoutTransaction { db in
                try Migration.apply(to: db)
                // A crash of the machine makes the copy begin again. `finish` syncs the file.
                try db.execute(sql: "PRAGMA synchronous = OFF")
            }
            self.database = database
        }
        return .start
    }

    package func checkSchema() throws {
        try explained {
            guard DatabaseFile.exists(at: path) else { throw StoreError.missing }
            lock = try DatabaseLock(path, .exclusive)
            var configuration = ConnectionSettings.configuration
            configuration.readonly = true
            let database = try DatabaseQueue(path: path, configuration: configuration)
            try database.read { try SQLiteCopyReader.checkSchema(of: $0) }
            self.database = database
        }
    }

    package func append(_ lines: CopyLines, to table: CopiedTable, from place: CopyPlace) throws {
        let form = SQLiteCopyForm(table)
        guard let insertion = form.insertion(table) else { return }
        let columns = table.columns.enumerated().filter { form.isWritten($0.element) }
        try explained {
            try opened.write { db in
                try lines.forEachRow { row in
                    guard row.count == table.columns.count else { throw CopiedTable.Column.unreadable }
                    try db.run(insertion, StatementValues(try columns.map { try $0.element.value(of: row[$0.offset]) }))
                }
            }
        }
    }

    package func finish() throws {
        try explained {
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

    package func count(_ table: CopiedTable) throws -> Int {
        try explained { try opened.read { try SQLiteCopyReader(db: $0).count(table) } }
    }

    package func read(_ table: CopiedTable, skipping skipped: Int, _ receive: (CopyLines) throws -> Void) throws {
        try explained { try opened.read { try SQLiteCopyReader(db: $0).read(table, skipping: skipped, receive) } }
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

/// Runs a step of a copy, and describes failures of SQLite without values of rows.
func explained<Answer>(_ work: () throws -> Answer) throws -> Answer {
    do {
        return try work()
    } catch let error as CopyError {
        throw error
    } catch {
        throw StoreError(error)
    }
}

extension CopiedTable.Column {
    fileprivate static var unreadable: StoreError { .unavailable("a copied row cannot be read") }

    /// A value as the statements of this store have it.
    fileprivate func value(of bytes: [UInt8]?) throws -> (any DatabaseValueConvertible)? {
        guard let bytes else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        switch kind {
        case .text: return text
        case .integer, .place:
            guard let number = Int64(text) else { throw Self.unreadable }
            return number
        case .boolean: return text == "t" ? 1 : 0
        case .bytes:
            let digits = Array(text.dropFirst(2).utf8)
            let values = stride(from: 0, to: digits.count - 1, by: 2).map {
                UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
            }
            return Data(values.compactMap(\.self))
        }
    }
}
