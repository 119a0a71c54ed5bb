import Foundation

/// The folder of a database, in which SQLite creates further files beside it.
@available(service, *)
struct DatabaseFolder {
    private let database: String
    private let path: String

    init(of database: String) {
        self.database = database
        path = URL(fileURLWithPath: database).standardizedFileURL.deletingLastPathComponent().path
    }

    /// - Throws: `ConfigurationError` if this user cannot create and write files there.
    func check(_ settings: Settings) throws {
        let user = NSUserName()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw settings.error(
                .database, "the folder \(path) does not exist. Create it: install -d -o \(user) -m 0700 \(path)")
        }
        guard isFolder.boolValue else { throw settings.error(.database, "\(path) is not a folder") }
        guard access(path, W_OK | X_OK) == 0 else {
            throw settings.error(
                .database,
                "the user \(user) cannot write in the folder \(path): \(String(cString: strerror(errno))). "
                    + "Run: chown \(user) \(path), or start the service as the user who owns the folder")
        }
        guard access(database, F_OK) != 0 || access(database, R_OK | W_OK) == 0 else {
            throw settings.error(
                .database,
                "the user \(user) cannot write \(database): \(String(cString: strerror(errno))). "
                    + "Run: chown \(user) \(database), or start the service as the user who owns it")
        }
    }
}
