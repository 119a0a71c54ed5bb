internal import Foundation

/// The user who gets the files that a command of root creates, so that the service can open them.
///
/// The service's user can replace every name in its directory at any time, also by a link to a file of root. So a file
/// gets its owner through the descriptor that created it, never through its path.
package struct FileOwner: Sendable, Equatable {
    let user: UInt32
    let group: UInt32

    /// Takes the owner of a file, or of its directory if there is no file. Only a symbolic link of root is followed.
    ///
    /// - Returns: `nil` for other users than root, who cannot give files away.
    package init?(beside path: String, isRoot: Bool = geteuid() == 0) {
        guard isRoot else { return nil }
        var owner = stat()
        if lstat(path, &owner) == 0 {
            if owner.isSymbolicLink, owner.st_uid == 0 { stat(path, &owner) }
        } else {
            let directory = (path as NSString).deletingLastPathComponent
            guard stat(directory.isEmpty ? "." : directory, &owner) == 0 else { return nil }
        }
        (user, group) = (owner.st_uid, owner.st_gid)
    }

    /// Gives an open file to this owner. If it fails, root keeps the file, and the error of the service names it.
    func take(_ descriptor: Int32) { _ = fchown(descriptor, user, group) }
}

extension stat {
    var isSymbolicLink: Bool { st_mode & S_IFMT == S_IFLNK }
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}
