import Foundation

/// A file that a setting or a flag names.
struct ReadableFile {
    /// Why the file cannot be read.
    enum Obstacle: Error, Equatable {
        case missing
        /// This user may not read the file, or may not enter a folder above it. What is in such a folder is unknown.
        ///
        /// - Parameter owner: The name of the user who owns the file or the folder.
        case forbidden(owner: String?)
        /// A folder, a pipe or a device.
        case notAFile
        /// - Parameter reason: The text of the system.
        case other(reason: String)
    }

    let path: String

    /// - Returns: The content, and the permission bits of the file.
    func read() throws(Obstacle) -> (content: Data, permissions: Int) {
        // Without O_NONBLOCK, opening a pipe waits for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw obstacle(errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = (try? FileManager.default.attributesOfItem(atPath: target)) ?? [:]
        guard attributes[.type] as? FileAttributeType == .typeRegular else { throw .notAFile }
        do {
            return (try handle.readToEnd() ?? Data(), (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0)
        } catch {
            throw .other(reason: error.localizedDescription)
        }
    }

    /// Why the file cannot be found. `nil` if it is there, or if it cannot be known that it is missing.
    var obstacle: Obstacle? { access(path, F_OK) == 0 ? nil : obstacle(errno) }

    private func obstacle(_ code: Int32) -> Obstacle {
        switch code {
        case ENOENT, ENOTDIR: .missing
        case EACCES, EPERM: .forbidden(owner: owner)
        default: .other(reason: String(cString: strerror(code)))
        }
    }

    /// The owner of the file, or else of the lowest folder that this user can see.
    private var owner: String? {
        var url = URL(fileURLWithPath: path).standardizedFileURL
        while url.path != "/" {
            if let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) {
                return attributes[.ownerAccountName] as? String
            }
            url.deleteLastPathComponent()
        }
        return nil
    }
}

extension ReadableFile.Obstacle {
    /// What is wrong, and what to do.
    ///
    /// - Parameter remedy: What to do if the file is missing.
    func problem(of path: String, ifMissing remedy: String) -> String {
        switch self {
        case .missing: "\(path) does not exist. \(remedy)"
        case .forbidden(let owner):
            "the user \(NSUserName()) may not read \(path). Run the command as "
                + (owner.map { "its owner: sudo -u \($0)" } ?? "the user who owns it")
        case .notAFile: "\(path) is not a regular file"
        case .other(let reason): "\(path) cannot be read: \(reason)"
        }
    }
}

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
