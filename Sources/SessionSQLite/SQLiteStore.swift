internal import Foundation
internal import GRDB
package import SessionDomain

/// The embedded store: one SQLite database, one writer whose jobs share commits, readers that never wait for it.
///
/// The conformances live beside the rows they write, one folder a noun.
package final class SQLiteStore: Sendable {
    let database: any DatabaseWriter
    private let writer: GroupCommit

    private init(database: any DatabaseWriter, queueCapacity: Int, batchSize: Int) {
        self.database = database
        writer = GroupCommit(writer: database, capacity: queueCapacity, batchSize: batchSize)
    }

    /// Opens a database, creates it when there is none, and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - queueCapacity: Writes that may wait; one more fails with `StoreError.overloaded`.
    ///   - batchSize: Writes that share a commit at most.
    /// - Throws: `StoreError.newerSchema` when a newer version of the software wrote it.
    package static func open(
        _ location: SQLiteLocation, queueCapacity: Int = 4096, batchSize: Int = 256
    ) throws(StoreError) -> SQLiteStore {
        do {
            let database = try connect(location)
            try database.writeWithoutTransaction { db in
                try ConnectionSettings.makeDurable(db)
                try Migration.apply(to: db)
            }
            return SQLiteStore(database: database, queueCapacity: queueCapacity, batchSize: batchSize)
        } catch {
            throw StoreError(error)
        }
    }

    private static func connect(_ location: SQLiteLocation) throws -> any DatabaseWriter {
        switch location {
        case .memory: return try DatabaseQueue(configuration: ConnectionSettings.configuration)
        case .file(let path):
            try DatabaseFile.create(at: path)
            return try DatabasePool(path: path, configuration: ConnectionSettings.configuration)
        }
    }

    /// Finishes the writes that were taken, refuses more, and closes the file. Closing twice is no error.
    package func close() async throws {
        await writer.close()
        do {
            try await withCheckedThrowingContinuation { continuation in
                // The last connection copies the WAL into the database, which is no work for the cooperative pool.
                DispatchQueue(label: "prelude-session.close").async {
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
