internal import Foundation
internal import GRDB
package import SessionDomain

extension SQLiteStore {
    /// Reads the schema of a database, and changes nothing. Other processes may use it.
    ///
    /// - Throws: `StoreError.missing` without a file, and `StoreError.unavailable` for one that cannot be read.
    package static func schema(at path: String) throws(StoreError) -> SchemaState {
        do {
            let resolved = try DatabaseFile.resolved(path)
            guard DatabaseFile.exists(at: resolved) else { throw StoreError.missing }
            let lock = DatabaseFile.exists(at: resolved + ".lock") ? try DatabaseLock(resolved, .shared) : nil
            defer { lock?.release() }
            if let lock { try LostFiles.refuse(at: resolved, lock: lock) }
            var configuration = ConnectionSettings.configuration
            configuration.readonly = true
            let database = try DatabaseQueue(path: resolved, configuration: configuration)
            let found = try database.read { try Migration.version(of: $0) }
            try database.close()
            let pending = Migration.all.filter { $0.number > found }.map {
                SchemaState.Step(
                    number: $0.number, name: $0.name, sql: ["BEGIN IMMEDIATE"] + $0.statements + ["COMMIT"])
            }
            return SchemaState(
                found: found, supported: supportedSchema, isUsable: found <= supportedSchema, pending: pending)
        } catch {
            throw StoreError(error)
        }
    }
}
