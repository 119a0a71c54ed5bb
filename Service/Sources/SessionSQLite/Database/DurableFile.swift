package import Foundation
internal import SessionDomain

/// Files that are on the disk, or not at all, when a call returns.
package enum DurableFile {
    /// Writes a new file that only its owner can read, and syncs it.
    ///
    /// - Parameter owner: Who gets the file. `nil`: the user of the process.
    package static func create(_ path: String, _ content: Data, owner: FileOwner? = nil) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("create", path) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try removing(path) {
            try write(content, to: handle, path)
            try sync(descriptor, path)
            owner?.take(descriptor)
            try handle.close()
        }
    }

    /// Copies a file to a new one that only its owner can read, and syncs it. The mode of the original has no effect.
    ///
    /// - Parameter owner: Who gets the new file. `nil`: the user of the process.
    package static func copy(_ path: String, to other: String, owner: FileOwner? = nil) throws {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw failure("open", path) }
        let reading = FileHandle(fileDescriptor: source, closeOnDealloc: true)
        let descriptor = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("create", other) }
        let writing = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try removing(other) {
            while let block = try reading.read(upToCount: 1 << 20), !block.isEmpty {
                try write(block, to: writing, other)
            }
            try reading.close()
            try sync(descriptor, other)
            owner?.take(descriptor)
            try writing.close()
        }
    }

    /// Writes to an open file. Its error names the path and the reason of the system.
    package static func write(_ content: Data, to handle: FileHandle, _ path: String) throws {
        do {
            try handle.write(contentsOf: content)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            let reason = cause.map { String(cString: strerror(Int32(truncatingIfNeeded: $0.code))) }
            throw StoreError.unavailable("cannot write \(path): \(reason ?? "\(type(of: error))")")
        }
    }

    /// Removes a new file if it cannot be completed, so that it takes no space of a full disk.
    private static func removing(_ path: String, ifFails work: () throws -> Void) throws {
        do { try work() } catch {
            unlink(path)
            throw error
        }
    }

    /// Writes the content of a file, or the entries of a directory, to the disk.
    package static func sync(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        try sync(descriptor, path)
    }

    private static func sync(_ descriptor: Int32, _ path: String) throws {
        #if canImport(Darwin)
            // `fsync` does not flush the cache of the drive there.
            let status = fcntl(descriptor, F_FULLFSYNC)
        #else
            let status = fsync(descriptor)
        #endif
        guard status == 0 else { throw failure("sync", path) }
    }

    /// Renames a file or a directory, replacing a file, and syncs the directory.
    package static func move(_ path: String, to other: String) throws {
        guard rename(path, other) == 0 else { throw failure("rename", path) }
        let directory = (other as NSString).deletingLastPathComponent
        try sync(directory.isEmpty ? "." : directory)
    }

    /// Gives a file a second name. A symbolic link gets the name itself, not the file that it names.
    package static func link(_ path: String, as other: String) throws {
        guard linkat(AT_FDCWD, path, AT_FDCWD, other, 0) == 0 else { throw failure("link", path) }
    }

    /// Removes a file. A missing one is no error: another process may have removed it.
    package static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
    }

    private static func failure(_ verb: String, _ path: String) -> StoreError {
        .unavailable("cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
