internal import GRDB
internal import Synchronization

/// Copies the log into the database while the writer goes on.
///
/// By itself, SQLite copies the log in the commit that makes it 1000 pages long, and all requests wait until the disk has the
/// pages. Here another connection copies them, because SQLite lets others write meanwhile ("Write-Ahead Logging",
/// "Checkpointing"). Then the writer copies the few pages that were added since, after it has answered. Only after that the
/// log begins again from its start.
final class LogCopier: Sendable {
    private enum State {
        case isIdle, isCopying
        /// The writer copies the rest.
        case hasCopied
    }

    /// The pages of a log that is copied: 4 MB. While the disk writes these pages, syncs of commits wait for it. With 16 MB, p99
    /// of a refresh at half load was 112 and 512 ms, and with 4 MB it is 7 to 10 ms (`Benchmarks/notes.md`).
    static let standardLength = 1000

    private let connection: DatabaseQueue
    private let length: Int
    private let state = Mutex(State.isIdle)

    /// - Parameters:
    ///   - path: The path of a database that is open in WAL mode.
    ///   - length: The pages of a log that is copied.
    init(path: String, length: Int) throws {
        self.length = length
        connection = try DatabaseQueue(path: path, configuration: ConnectionSettings.configuration)
        // Opens the log now. Later, another file could have its name.
        _ = try connection.unsafeRead { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
    }

    /// The writer has answered a transaction, and may write meanwhile.
    ///
    /// - Parameters:
    ///   - pages: The pages of the log.
    ///   - files: Nothing is copied from or to a lost file.
    func logGrew(to pages: Int, _ db: Database, _ files: OpenFiles) {
        guard pages >= length else { return }
        let before = state.withLock { state in
            defer {
                switch state {
                case .isIdle: state = .isCopying
                case .isCopying: break
                case .hasCopied: state = .isIdle
                }
            }
            return state
        }
        switch before {
        case .isIdle:
            connection.asyncWriteWithoutTransaction { db in
                Self.copy(db, files)
                self.state.withLock { $0 = .hasCopied }
            }
        case .isCopying: break
        case .hasCopied: Self.copy(db, files)
        }
    }

    /// The copy can fail, or end early, while another process copies or reads. Then a later one copies the rest.
    private static func copy(_ db: Database, _ files: OpenFiles) {
        if files.areIntact { _ = try? db.checkpoint(.passive) }
    }

    /// Waits for the copy that runs.
    func wait() { connection.unsafeRead { _ in } }

    /// Closes the connection. The writer copies the rest, so close this one first.
    func close() throws { try connection.close() }

    /// Keeps the connection open until the process ends, because closing could copy the log.
    func leaveOpen() { LeftOpen.keep(connection) }
}
