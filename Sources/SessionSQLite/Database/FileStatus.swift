internal import Foundation

/// What a name or a descriptor means. It does not read the times of the file.
///
/// After a program has asked for the times, Linux (6.13 and later) gives the file a new time at the next write, and ext4
/// without a journal writes this time to the disk with each sync. `stat` always asks for the times, `statx` only for what
/// its mask names. So a commit that looks at its log by `stat` takes 50 to 100 microseconds longer.
struct FileStatus: Sendable {
    let identity: FileIdentity
    /// Bytes.
    let size: Int64
    /// The names of the file. 0: it was deleted.
    let links: Int

    /// - Returns: `nil` if the file cannot be found.
    init?(path: String) {
        self.init(Self.currentDirectory, path, flags: 0) { stat(path, $0) }
    }

    /// - Returns: `nil` if the descriptor is not open.
    init?(descriptor: Int32) {
        self.init(descriptor, "", flags: Self.emptyPath) { fstat(descriptor, $0) }
    }

    private init?(
        _ directory: Int32, _ path: String, flags: Int32, orElse fallback: (UnsafeMutablePointer<stat>) -> Int32
    ) {
        if let statx = Self.statx {
            let found = withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer -> FileStatus? in
                guard statx(directory, path, flags, Self.mask, buffer.baseAddress!) == 0 else { return nil }
                return FileStatus(UnsafeRawBufferPointer(buffer))
            }
            if let found {
                self = found
                return
            }
            // A sandbox may know only the older call.
            guard errno == ENOSYS || errno == EPERM else { return nil }
        }
        var file = stat()
        guard fallback(&file) == 0 else { return nil }
        identity = FileIdentity(device: UInt64(truncatingIfNeeded: file.st_dev), inode: UInt64(file.st_ino))
        (size, links) = (Int64(file.st_size), Int(file.st_nlink))
    }

    /// Reads `struct statx` (statx(2)), which is the same on all processors.
    private init(_ status: UnsafeRawBufferPointer) {
        func number(at offset: Int) -> UInt64 { UInt64(status.load(fromByteOffset: offset, as: UInt32.self)) }
        identity = FileIdentity(
            device: number(at: 136) << 32 | number(at: 140), inode: status.load(fromByteOffset: 32, as: UInt64.self))
        size = Int64(clamping: status.load(fromByteOffset: 40, as: UInt64.self))
        links = Int(number(at: 16))
    }

    private typealias Call =
        @convention(c) (
            Int32, UnsafePointer<CChar>, Int32, UInt32, UnsafeMutableRawPointer
        ) -> Int32

    /// Swift does not import `statx`, because the header has it for GNU sources only. `nil` on systems without it.
    private static let statx: Call? = {
        #if os(Linux)
            dlsym(nil, "statx").map { unsafeBitCast($0, to: Call.self) }
        #else
            nil
        #endif
    }()

    /// `AT_FDCWD` of Linux.
    private static let currentDirectory: Int32 = -100
    /// `AT_EMPTY_PATH`: the descriptor itself.
    private static let emptyPath: Int32 = 0x1000
    /// `STATX_NLINK`, `STATX_INO` and `STATX_SIZE`.
    private static let mask: UInt32 = 0x4 | 0x100 | 0x200
}
