internal import Foundation
internal import SessionDomain

/// Refuses to open a database whose log or index was deleted while another process has it open.
///
/// SQLite would create new files, and both processes would write to the database without seeing each other's locks.
@available(service, *)
enum LostFiles {
    /// Attempts, and microseconds between two: five seconds. A process that starts or ends lacks the files for milliseconds.
    static let patience = (attempts: 250, pause: UInt32(20_000))

    /// - Parameters:
    ///   - path: A resolved path of a database.
    ///   - lock: The shared lock of this process.
    /// - Throws: `StoreError.unavailable` if another process has the database open without these files.
    static func refuse(at path: String, lock: DatabaseLock, attempts: Int = patience.attempts) throws {
        for attempt in 1... {
            guard let missing = ["-wal", "-shm"].first(where: { !DatabaseFile.exists(at: path + $0) }) else { return }
            if try lock.isAlone() { return }
            guard attempt < attempts else {
                let name = (path as NSString).lastPathComponent
                throw StoreError.unavailable(
                    "another process has it open, and \(name)\(missing) was deleted meanwhile. Nothing is read or written, "
                        + "because each process would miss the changes of the other one: stop every process of the service, "
                        + "and start it again")
            }
            usleep(patience.pause)
        }
    }
}
