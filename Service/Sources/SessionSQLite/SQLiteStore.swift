internal import Foundation
internal import GRDB
internal import GRDBSQLite
package import SessionDomain
package import SessionSQL
internal import Synchronization

/// The embedded store: one SQLite database with one writer, whose jobs share commits, and readers that never wait for it.
///
/// `Intents` has the writes. The other folders have the rows of one noun each, with their reads.
package final class SQLiteStore: Sendable {
    let database: any DatabaseWriter
    /// The schema version before opening, 0 for a new database, and the version now.
    package let schema: (found: Int, now: Int)
    /// Whether the structure of a large file is not checked yet.
    package let isUnchecked: Bool
    let writer: GroupCommit
    /// Where housekeeping goes on with used proofs. `nil`: at the beginning of their table.
    let nextProof = Mutex<Int64?>(nil)
    let observer: any ServiceObserver
    /// What the transactions have shown.
    package let health: StoreHealth
    /// `nil` for a database in memory, and for commands.
    let copier: LogCopier?
    /// Excludes a restore while the database is open. `nil` for a database in memory.
    private let lock: DatabaseLock?

    /// The schema of this version.
    package static let supportedSchema = Migration.all.last?.number ?? 0

    private init(
        database: any DatabaseWriter, files: OpenFiles? = nil, copier: LogCopier? = nil, lock: DatabaseLock?,
        schema: (found: Int, now: Int), isUnchecked: Bool = false,
        queueCapacity: Int, batchSize: Int, health: StoreHealth, observer: any ServiceObserver, handover: any Handover
    ) {
        self.observer = observer
        self.database = database
        self.copier = copier
        self.lock = lock
        self.schema = schema
        self.isUnchecked = isUnchecked
        self.health = health
        writer = GroupCommit(
            writer: database, files: files, copier: copier, capacity: queueCapacity, batchSize: batchSize,
            health: health, observer: observer, handover: handover)
    }

    /// Opens a database. The service, which may migrate, also checks the structure of the file: of a large one later, with
    /// `checkStructure()`, unless it migrates.
    ///
    /// - Parameters:
    ///   - opening: Whether a missing file is created and an older schema migrated.
    ///   - queueCapacity: Writes that may wait. One more fails with `StoreError.overloaded`.
    ///   - batchSize: Writes that share a commit at most.
    ///   - checkedBytes: The size of a file up to which its structure is checked now.
    ///   - logLength: The pages of a log that is copied into the database.
    ///   - health: Learns how each transaction ends.
    ///   - observer: Receives commits and what they mean.
    ///   - handover: How writes and their responses change threads.
    /// - Throws: `StoreError.newerSchema` for a database of a newer version of the software; `StoreError.olderSchema` and
    ///   `StoreError.missing` if `opening` does not allow to change that; `StoreError.damaged`; `StoreError.inUse` while
    ///   a restore replaces the database.
    package static func open(
        _ location: SQLiteLocation, opening: OpenMode = .migrating, queueCapacity: Int = 4096, batchSize: Int = 256,
        checkedBytes: Int64 = DatabaseCheck.bytesAtStart, logLength: Int = LogCopier.standardLength,
        health: StoreHealth = StoreHealth(),
        observer: any ServiceObserver = NoObserver(),
        handover: any Handover = DirectHandover()
    ) throws(StoreError) -> SQLiteStore {
        do {
            try ConnectionSettings.checkVersion(sqlite3_libversion_number())
            guard case .file(let path) = location else {
                return SQLiteStore(
                    database: try MemoryDatabase.open(), lock: nil, schema: (0, supportedSchema),
                    queueCapacity: queueCapacity, batchSize: batchSize, health: health, observer: observer,
                    handover: handover)
            }
            let (database, lock) = try connect(path, opening: opening)
            let (schema, isUnchecked) = try database.writeWithoutTransaction { db in
                try ConnectionSettings.makeDurable(db)
                // Before a migration, which could make the damage worse.
                let isCurrent = try Migration.version(of: db) == supportedSchema
                let size = try DatabaseCheck.size(of: db)
                let isLater = isCurrent && size > checkedBytes
                if opening == .migrating {
                    if !isLater { try DatabaseCheck.run(db) }
                    try DatabaseCheck.isWritable(db)
                }
                let schema = try Migration.apply(to: db, opening: opening)
                try ConnectionSettings.keepPageCopiesInMemory(db)
                try ConnectionSettings.keepInnerPages(db, fileBytes: size)
                return (schema, isLater && opening == .migrating)
            }
            let copier = opening == .migrating ? try LogCopier(path: database.path, length: logLength) : nil
            let files = try openFiles(of: database.path)
            if copier != nil { database.writeWithoutTransaction(files.followLog) }
            return SQLiteStore(
                database: database, files: files, copier: copier, lock: lock, schema: schema,
                isUnchecked: isUnchecked, queueCapacity: queueCapacity, batchSize: batchSize,
                health: health, observer: observer, handover: handover)
        } catch {
            throw StoreError(error)
        }
    }

    private static func connect(
        _ path: String, opening: OpenMode
    ) throws -> (database: DatabasePool, lock: DatabaseLock) {
        let path = try DatabaseFile.resolved(path)
        try NewDatabase.prepare(at: path, opening: opening)
        let lock = try DatabaseLock(path, .shared)
        try LostFiles.refuse(at: path, lock: lock)
        try DatabaseReplacement.undoUnfinished(of: path)
        return (try DatabasePool(path: path, configuration: ConnectionSettings.configuration), lock)
    }

    private static func openFiles(of path: String) throws -> OpenFiles {
        guard let files = OpenFiles(path: path) else {
            throw StoreError.unavailable("a file of the database was deleted while it was opened. Try again")
        }
        return files
    }

    /// Finishes the accepted writes, rejects further ones, and closes the file. Closing twice is no error.
    package func close() async throws {
        let isFirst = await writer.close()
        do {
            try await withCheckedThrowingContinuation { continuation in
                // Copying the WAL into the database blocks, so it does not run on the cooperative pool.
                DispatchQueue(label: "prelude-session.close").async {
                    // The last connection to close is a reader, which does not copy the WAL.
                    let isCopied = isFirst ? self.writer.foldLog() : self.writer.files?.mayBeCopied != false
                    continuation.resume(
                        with: Result {
                            if isCopied {
                                // First: the last connection that closes copies the log.
                                try self.copier?.close()
                                try self.database.close()
                            } else {
                                self.copier?.leaveOpen()
                                LeftOpen.keep(self.database)
                            }
                            self.lock?.release()
                        })
                }
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// Reads committed rows, in one snapshot.
    func read<Answer: Sendable>(
        _ query: @escaping @Sendable (Database) throws -> Answer
    ) async throws -> Answer {
        do {
            // A database in memory has one connection. It runs one job at a time, so a read needs no transaction for a
            // snapshot, and without one SQLite keeps its prepared statements.
            if let memory = database as? DatabaseQueue { return try await memory.unsafeRead(query) }
            // A connection that is opened without the log would create an empty one.
            try writer.files?.check()
            return try await database.read(query)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let error = StoreError(error)
            health.failed(error)
            throw error
        }
    }

    /// Writes a page to the disk and changes nothing, to find out whether writes work. It waits for its turn, as others do.
    package func checkWriting() async throws {
        try await writer.perform { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            // SQLite writes the first page of the file again, also when the number is the same.
            try db.execute(sql: "PRAGMA user_version = \(version)")
            return .keep(())
        }
    }

    /// Checks the structure of a file that was too large for it when the store opened. Each table is read in a snapshot of
    /// its own, so that the log of the database does not grow for the whole time. Ends early if the task is cancelled.
    ///
    /// - Throws: `StoreError.damaged` with the first finding; `CancellationError`.
    package func checkStructure() async throws {
        for table in try await read(DatabaseCheck.tables) {
            try await read { try DatabaseCheck.run($0, table: table) }
        }
    }

    /// Bytes that this user can still write beside the database. `nil` for a database in memory.
    package var freeBytes: Int64? { writer.files?.freeBytes }

    /// The size of the log of the database, the file `-wal`. `nil` for a database in memory.
    package var logBytes: Int64? { writer.files?.logBytes }
}

extension SQLiteStore: HousekeepingStore {
    /// The tables whose rows expire, with their key and the column of the time.
    private static let expiring = [
        (table: "challenges", key: "app_id, id", expiry: "expires_at"),
        (table: "grants", key: "app_id, id", expiry: "expires_at"),
        (table: "counters", key: "app_id, key", expiry: "resets_at"),
    ]

    package func deleteExpired(now: Timestamp, limit: Int) async throws -> Int {
        try await writer.perform { [self] db in
            var deleted = try db.deleteRedemptions(until: now, limit: limit)
            deleted += try nextProof.withLock { next in
                let result = try db.deleteProofs(until: now, from: next, limit: limit)
                next = result.next
                return result.deleted
            }
            for (table, key, expiry) in Self.expiring {
                deleted += try db.delete(from: table, key: key, where: "\(expiry) <= ?", now, limit: limit)
            }
            deleted += try db.delete(
                from: "verifications", key: "app_id, token_hash", where: "code_expires_at <= ?",
                now - Retention.expiredCodes, limit: limit)
            deleted += try db.delete(
                from: "sessions", key: "app_id, id", where: "purge_hour <= ?", now.hour,
                limit: limit)
            deleted += try db.delete(
                from: "messages", key: "sequence", where: "status <> 'pending' AND expires_at <= ?", now, limit: limit)
            return .keep(deleted)
        }
    }
}

extension Database {
    fileprivate func delete(
        from table: String, key: String, where condition: String, _ bound: any ColumnValue, limit: Int
    ) throws -> Int {
        try run(
            "DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM \(table) WHERE \(condition) LIMIT ?)",
            [bound, limit])
    }
}
