internal import GRDB
package import SessionDomain

/// A database file that is exported, in one transaction. The service may run: its log grows until the end.
package final class SQLiteExportSource: ExportSource {
    private let lock: DatabaseLock
    private let database: DatabaseQueue

    /// - Throws: `StoreError.missing`, `.damaged`, `.olderSchema`, `.newerSchema`; `.inUse` while it is replaced.
    package init(_ path: String) throws(StoreError) {
        do {
            let path = try DatabaseFile.resolved(path)
            try NewDatabase.prepare(at: path, opening: .existing)
            lock = try DatabaseLock(path, .shared)
            try LostFiles.refuse(at: path, lock: lock)
            var configuration = ConnectionSettings.configuration
            configuration.readonly = true
            configuration.allowsUnsafeTransactions = true
            database = try DatabaseQueue(path: path, configuration: configuration)
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN")
                try DatabaseCheck.run(db)
                try SQLiteRowReader.checkSchema(of: db)
            }
        } catch {
            throw StoreError(error)
        }
    }

    package func isInUse() throws -> Bool { try explained { try !lock.isAlone() } }

    package func close() {
        try? database.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try? database.close()
        lock.release()
    }

    package func count(_ table: ExportedTable) throws -> Int {
        try explained { try database.writeWithoutTransaction { try SQLiteRowReader(db: $0).count(table) } }
    }

    package func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws {
        try explained { try database.writeWithoutTransaction { try SQLiteRowReader(db: $0).read(table, receive) } }
    }
}
