internal import Foundation
internal import GRDB
package import SessionDomain

extension DatabaseSummary {
    /// Reads a database without changing it, also while the service uses it.
    ///
    /// - Parameter checkingStructure: Whether every page is read, as at the start of the service: a second for each 500 MB.
    /// - Returns: `nil` without a file, and for an empty one that never had content. Every schema has the tables that are read here.
    /// - Throws: `StoreError.newerSchema`, `.damaged`, or `.unavailable` for a file that cannot be read.
    package static func read(
        at path: String, checkingStructure: Bool = false
    ) throws(StoreError) -> DatabaseSummary? {
        do {
            var file = stat()
            guard stat(path, &file) == 0 else { return nil }
            let resolved = try DatabaseFile.resolved(path)
            guard file.st_size > 0 else {
                try NewDatabase.checkHasNoTraces(beside: resolved)
                return nil
            }
            // Without a lock, no process has opened the database since it has this name.
            let lock = DatabaseFile.exists(at: resolved + ".lock") ? try DatabaseLock(resolved, .shared) : nil
            defer { lock?.release() }
            if let lock { try LostFiles.refuse(at: resolved, lock: lock) }
            var configuration = ConnectionSettings.configuration
            configuration.readonly = true
            let database = try DatabaseQueue(path: resolved, configuration: configuration)
            let summary = try database.read { db -> DatabaseSummary? in
                let (found, supported) = (try Migration.version(of: db), SQLiteStore.supportedSchema)
                guard found <= supported else { throw StoreError.newerSchema(found: found, supported: supported) }
                if checkingStructure { try DatabaseCheck.run(db) }
                guard found > 0 else { return nil }
                return DatabaseSummary(
                    schema: found, apps: Set(try db.all("SELECT id FROM apps") { try $0.next() }),
                    sealingKeyIDs: try db.sealingKeyIDs())
            }
            try database.close()
            return summary
        } catch {
            throw StoreError(error)
        }
    }
}
