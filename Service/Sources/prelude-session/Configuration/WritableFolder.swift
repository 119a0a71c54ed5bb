import Foundation

/// A folder in which this user must create files.
struct WritableFolder {
    private let path: String

    /// The folder that contains a file. The file need not exist.
    init(of file: String) { path = URL(fileURLWithPath: file).standardizedFileURL.deletingLastPathComponent().path }

    /// What is wrong with the folder, and the remedy. `nil`: files can be created in it.
    var problem: String? {
        let user = NSUserName()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return "the folder \(path) does not exist. Create it: install -d -o \(user) -m 0700 \(path)"
        }
        guard isFolder.boolValue else { return "\(path) is not a folder" }
        guard access(path, W_OK | X_OK) != 0 else { return nil }
        let reason = String(cString: strerror(errno))
        return "the user \(user) cannot write in the folder \(path): \(reason). "
            + "Run: chown \(user) \(path), or use the user who owns the folder"
    }
}

extension ServiceConfiguration {
    /// Checks that this user can write the database, and the files that SQLite creates beside it.
    ///
    /// - Parameter path: The path of the database, which need not exist.
    func checkIsWritable(database path: String) throws {
        if let problem = WritableFolder(of: path).problem { throw settings.error(.database, problem) }
        // A link whose target is missing has attributes and no content.
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        if let attributes = try? FileManager.default.attributesOfItem(atPath: target),
            attributes[.type] as? FileAttributeType != .typeRegular
        {
            throw settings.error(
                .database, "\(path) is not a regular file, or a link without a target. Name the file of the database")
        }
        for (suffix, need, verb) in [
            (".lock", R_OK, "read"), ("-wal", R_OK | W_OK, "write"), ("-shm", R_OK | W_OK, "write"),
        ] {
            let file = target + suffix
            guard access(file, F_OK) == 0, access(file, need) != 0 else { continue }
            throw settings.error(
                .database, "the user \(NSUserName()) cannot \(verb) \(file). Run: chown \(NSUserName()) \(file)")
        }
        guard access(path, F_OK) == 0, access(path, R_OK | W_OK) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw settings.error(
            .database,
            "the user \(NSUserName()) cannot write \(path): \(reason). Run: chown \(NSUserName()) \(path), and: "
                + "chmod u+rw \(path). Or use the user who owns it")
    }
}
