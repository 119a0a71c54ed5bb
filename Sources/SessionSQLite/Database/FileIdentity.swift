internal import Foundation

/// Which file a name or a descriptor means. It stays the same when the file is renamed.
struct FileIdentity: Equatable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    init(_ file: stat) { (device, inode) = (file.st_dev, file.st_ino) }

    /// - Returns: `nil` if the file cannot be found.
    init?(path: String) {
        var file = stat()
        guard stat(path, &file) == 0 else { return nil }
        self.init(file)
    }

    /// - Returns: `nil` if the descriptor is not open.
    init?(descriptor: Int32) {
        var file = stat()
        guard fstat(descriptor, &file) == 0 else { return nil }
        self.init(file)
    }
}
