internal import Foundation
internal import SessionDomain

/// The open file descriptors of this process.
enum OpenDescriptors {
    /// The numbers of the open descriptors. Some may be closed when the caller uses them.
    static var all: [Int32] {
        if let names = try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd") {
            return names.compactMap { Int32($0) }
        }
        // Without a file system for descriptors, such as in a chroot.
        return (0..<min(getdtablesize(), 65_536)).filter { fcntl($0, F_GETFD) >= 0 }
    }

    /// Makes a descriptor mean the file of another one. Its users go on with the new file.
    static func make(_ descriptor: Int32, mean other: Int32) throws {
        // The second call because the new meaning has no flags: programs that this process starts must not get it.
        let isDone = dup2(other, descriptor) >= 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
        guard isDone else {
            throw StoreError.unavailable("cannot exchange a descriptor: \(String(cString: strerror(errno)))")
        }
    }
}
