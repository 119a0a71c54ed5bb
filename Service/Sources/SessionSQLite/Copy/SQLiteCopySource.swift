internal import GRDB
package import SessionDomain

/// A database file that a copy reads. No other process can open it until this one has ended or calls `close`.
package final class SQLiteCopySource: CopySource {
    /// The path of the file without symbolic links. All rows are in it: its log is empty.
    package let path: String
    private let replacement: DatabaseReplacement
    private let database: DatabaseQueue

    /// - Throws: `StoreError.inUse` while another process has the database open; `StoreError.missing`, `.damaged`,
    ///   `.olderSchema`, `.newerSchema`.
    package init(_ path: String) throws(StoreError) {
        do {
            guard DatabaseFile.exists(at: try DatabaseFile.resolved(path)) else { throw StoreError.missing }
            try NewDatabase.prepare(at: try DatabaseFile.resolved(path), opening: .existing)
            // The same lock, and the same merged log, as when the file is replaced.
            replacement = try DatabaseReplacement(of: path)
            self.path = replacement.path
            var configuration = ConnectionSettings.configuration
            configuration.readonly = true
            database = try DatabaseQueue(path: replacement.path, configuration: configuration)
            try database.read { db in
                try DatabaseCheck.run(db)
                try SQLiteCopyReader.checkSchema(of: db)
            }
        } catch {
            throw StoreError(error)
        }
    }

    package func close() {
        try? database.close()
        replacement.release()
    }

    package func count(_ table: CopiedTable) throws -> Int {
        try explained { try database.read { try SQLiteCopyReader(db: $0).count(table) } }
    }

    package func read(_ table: CopiedTable, skipping skipped: Int, _ receive: (CopyLines) throws -> Void) throws {
        try explained { try database.read { try SQLiteCopyReader(db: $0).read(table, skipping: skipped, receive) } }
    }
}
