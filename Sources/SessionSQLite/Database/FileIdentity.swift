/// Which file a name or a descriptor means. It stays the same when the file is renamed.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }

    /// - Returns: `nil` if the file cannot be found.
    init?(path: String) {
        guard let status = FileStatus(path: path) else { return nil }
        self = status.identity
    }

    /// - Returns: `nil` if the descriptor is not open.
    init?(descriptor: Int32) {
        guard let status = FileStatus(descriptor: descriptor) else { return nil }
        self = status.identity
    }
}
