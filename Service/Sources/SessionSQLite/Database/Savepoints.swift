internal import GRDB
internal import SessionDomain
internal import Synchronization

/// Undoes single jobs of a shared transaction.
///
/// A savepoint costs a job two statements, and a copy of each page that it changes. Almost no job is undone. So a
/// transaction has no savepoints at first. If one of its jobs must be undone, it is rolled back, and all its jobs run again,
/// each in its savepoint. The next transactions have savepoints at once, so a caller whose jobs fail on purpose makes few
/// transactions run twice.
final class Savepoints: Sendable {
    /// Transactions that have savepoints after one that needed them.
    static let caution = 64

    private let health: StoreHealth
    /// How many transactions still have savepoints. Only the writer uses it, which does one thing after the other.
    private let cautious = Mutex(0)
    /// Whether a newer version has migrated the database since this one opened it.
    private let newerSchema = Mutex<StoreError?>(nil)

    init(health: StoreHealth) { self.health = health }

    /// The errors of statements that do not fit their tables.
    private static let codesOfSchema: [ResultCode] = [.SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH]

    /// A job must be undone, and its transaction has no savepoints.
    private struct MissingSavepoint: Error {}

    private var areUsed: Bool { cautious.withLock { $0 > 0 } }

    /// Runs a transaction without savepoints if it does not need them.
    ///
    /// - Parameter transaction: Runs the jobs and commits. If it throws, nothing is written.
    func avoided<Answer>(_ transaction: () throws -> Answer) throws -> Answer {
        if !areUsed {
            do {
                return try transaction()
            } catch is MissingSavepoint {
                cautious.withLock { $0 = Self.caution }
            }
        }
        defer { cautious.withLock { $0 -= 1 } }
        return try transaction()
    }

    /// Runs a job of a transaction that `avoided` runs.
    ///
    /// - Throws: An error that ends the transaction.
    func result<Answer: Sendable>(
        of work: (Database) throws -> WriteResult<Answer>, in db: Database
    ) throws -> Result<Answer, any Error> {
        if areUsed { return try inSavepoint(db, work) }
        guard case .keep(let answer)? = try? work(db) else { throw MissingSavepoint() }
        return .success(answer)
    }

    private func inSavepoint<Answer: Sendable>(
        _ db: Database, _ work: (Database) throws -> WriteResult<Answer>
    ) throws -> Result<Answer, any Error> {
        try db.run("SAVEPOINT job")
        let result: Result<Answer, any Error>
        do {
            switch try work(db) {
            case .keep(let answer):
                try db.run("RELEASE job")
                return .success(answer)
            case .undo(let answer): result = .success(answer)
            }
        } catch {
            // Some errors, such as a full disk, end the transaction of the whole batch. In a database that SQLite could open
            // for reading only, no write works, and an empty transaction would count as one that did.
            let isReadOnly = (error as? DatabaseError)?.resultCode == .SQLITE_READONLY
            guard db.isInsideTransaction, !isReadOnly else { throw error }
            try refuseNewerSchema(db, after: error)
            if error is DatabaseError || error is RowDecodingError || error is StoreError {
                let failure = StoreError(error)
                health.failed(failure)
                result = .failure(failure)
            } else {
                result = .failure(error)
            }
        }
        try undoJob(in: db)
        try db.run("RELEASE job")
        return result
    }

    /// A newer version may have changed tables under this one. Single jobs would then fail, and others succeed, so that the
    /// service would look healthy.
    ///
    /// - Throws: `StoreError.newerSchema`, now and for all later transactions.
    private func refuseNewerSchema(_ db: Database, after error: any Error) throws {
        let mayBeOfSchema = (error as? DatabaseError).map { Self.codesOfSchema.contains($0.resultCode) }
        guard mayBeOfSchema ?? (error is RowDecodingError), let found = try? Migration.version(of: db),
            found > SQLiteStore.supportedSchema
        else { return }
        let refusal = StoreError.newerSchema(found: found, supported: SQLiteStore.supportedSchema)
        newerSchema.withLock { $0 = refusal }
        throw refusal
    }

    /// - Throws: What `refuseNewerSchema` has found.
    func checkSchema() throws {
        if let refusal = newerSchema.withLock({ $0 }) { throw refusal }
    }

    /// Undoes what the running job wrote so far. The job may go on.
    func undoJob(in db: Database) throws {
        guard areUsed else { throw MissingSavepoint() }
        try db.run("ROLLBACK TO job")
    }
}
