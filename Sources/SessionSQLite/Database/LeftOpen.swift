internal import GRDB
internal import Synchronization

/// Databases that stay open until the process ends, because files of them are lost.
///
/// The last connection that closes copies the log into the database. With files that others have replaced, that would
/// overwrite what another process has written since.
@available(service, *)
enum LeftOpen {
    private static let databases = Mutex<[any DatabaseWriter]>([])

    static func keep(_ database: any DatabaseWriter) { databases.withLock { $0.append(database) } }
}
