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
