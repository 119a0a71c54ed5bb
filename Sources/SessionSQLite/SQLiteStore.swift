internal import Foundation
internal import GRDB
package import SessionDomain

/// The embedded store: one SQLite database, one writer whose jobs share commits, readers that never wait for it.
///
/// The conformances live beside the rows they write, one folder a noun.
package final class SQLiteStore: Sendable {
    let database: any DatabaseWriter
    /// The schema that opening found, 0 for none, and the one that it left.
    package let schema: (found: Int, now: Int)
    private let writer: GroupCommit

    private init(database: any DatabaseWriter, schema: (found: Int, now: Int), queueCapacity: Int, batchSize: Int) {
        self.database = database
        self.schema = schema
        writer = GroupCommit(writer: database, capacity: queueCapacity, batchSize: batchSize)
    }

    /// Opens a database; whether it may be made, and its schema brought up to date, says `opening`.
    ///
    /// - Parameters:
    ///   - queueCapacity: Writes that may wait; one more fails with `StoreError.overloaded`.
    ///   - batchSize: Writes that share a commit at most.
    /// - Throws: `StoreError.newerSchema` when a newer version of the software wrote it; `StoreError.olderSchema` and
    ///   `StoreError.missing` when `opening` may not mend that.
    package static func open(
        _ location: SQLiteLocation, opening: Opening = .migrating, queueCapacity: Int = 4096, batchSize: Int = 256
    ) throws(StoreError) -> SQLiteStore {
        do {
            let database = try connect(location, opening: opening)
            let schema = try database.writeWithoutTransaction { db in
                try ConnectionSettings.makeDurable(db)
                return try Migration.apply(to: db, opening: opening)
            }
            return SQLiteStore(database: database, schema: schema, queueCapacity: queueCapacity, batchSize: batchSize)
        } catch {
            throw StoreError(error)
        }
    }

    private static func connect(_ location: SQLiteLocation, opening: Opening) throws -> any DatabaseWriter {
        switch location {
        case .memory: return try DatabaseQueue(configuration: ConnectionSettings.configuration)
        case .file(let path):
            switch opening {
            case .migrating, .creating: try DatabaseFile.create(at: path)
            case .existing: guard DatabaseFile.exists(at: path) else { throw StoreError.missing }
            }
            return try DatabasePool(path: path, configuration: ConnectionSettings.configuration)
        }
    }

    /// Finishes the writes that were taken, refuses more, and closes the file. Closing twice is no error.
    package func close() async throws {
        let isFirst = await writer.close()
        do {
            try await withCheckedThrowingContinuation { continuation in
                // Copying the WAL into the database is no work for the cooperative pool.
                DispatchQueue(label: "prelude-session.close").async {
                    // The last connection to be closed is one that only reads, which does not copy it. Where that fails,
                    // as beside another process that reads, the WAL stays, and nothing is lost.
                    if isFirst { _ = try? self.database.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
                    continuation.resume(with: Result { try self.database.close() })
                }
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// Reads what is committed, in one snapshot.
    func read<Answer: Sendable>(
        _ query: @escaping @Sendable (Database) throws -> Answer
    ) async throws -> Answer {
        do {
            return try await database.read(query)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw StoreError(error)
        }
    }

    /// Writes in one transaction; returns after the commit.
    func write<Answer: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Answer
    ) async throws -> Answer {
        try await writer.perform { db in .keep(try work(db)) }
    }

    /// Writes in one transaction that the answer itself may undo.
    func writeOrUndo<Answer: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> WriteResult<Answer>
    ) async throws -> Answer {
        try await writer.perform(work)
    }
}
