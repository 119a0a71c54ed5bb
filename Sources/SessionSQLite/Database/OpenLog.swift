internal import Foundation
internal import SessionDomain

/// The write-ahead log of an open database, which is written again when its name was deleted.
///
/// A deleted file cannot get its name back. So its content is copied to a new file, and `dup2` makes the descriptors of this
/// process refer to the copy. SQLite does not lock or map the log, and the content is the same, so its connections continue
/// to work. Other processes still have the deleted file open. They find a different file under the name and stop writing.
@available(service, *)
final class OpenLog: Sendable {
    private let path: String
    private let database: String
    /// A descriptor of its own, which keeps the content while the store is open.
    private let descriptor: Int32
    private static let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW

    /// - Returns: `nil` without a log.
    init?(database: String) {
        (path, self.database) = (database + "-wal", database)
        descriptor = open(path, Self.flags)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// The pages that were committed to the open file; `nil` if it has not all of them. See `LogIndex.pages`.
    func pages(in index: LogIndex) -> Int? { index.pages(coveredBy: descriptor) }

    /// Whether the name means the open file.
    var hasName: Bool { FileIdentity(path: path).map { $0 == FileIdentity(descriptor: descriptor) } ?? false }

    /// Whether the open file has no name any more.
    var isDeleted: Bool { FileStatus(descriptor: descriptor)?.links == 0 }

    /// Whether a connection of this process has created a new log, because the name was missing.
    var isReplacedByEmpty: Bool {
        guard let file = FileStatus(path: path), file.size == 0 else { return false }
        return OpenDescriptors.all.contains { FileIdentity(descriptor: $0) == file.identity }
    }

    /// The error when another file has the name.
    var replaced: StoreError {
        .unavailable(
            "\(path) was replaced while the service runs. Nothing is written to the old file. Move it back if you can: its "
                + "commits since the last checkpoint are in no other file. Then restart every process of the service")
    }

    /// Writes the content of the open file under its name.
    ///
    /// - Parameter replacingEmpty: Whether an empty log that this process has opened meanwhile may be replaced. Only if the
    ///   processes still share the index, and so the write lock, which the caller holds.
    /// - Throws: `StoreError.unavailable` if another file has the name, or the new file cannot be written.
    func restore(replacingEmpty: Bool) throws(StoreError) {
        let isTaken = FileIdentity(path: path) != nil
        guard !isTaken || (replacingEmpty && isReplacedByEmpty) else { throw replaced }
        // Stays open until the end: a file without a descriptor loses its number, and a file that another thread creates then
        // may get it.
        let old = try HeldFiles([fcntl(descriptor, F_DUPFD_CLOEXEC, 0)] + (isTaken ? [open(path, Self.flags)] : []))
        // SQLite's descriptors, beside the own one. Without them, this is not the file that SQLite writes to.
        guard OpenDescriptors.all.filter({ old.meansFirst($0) }).count > 1 else { throw replaced }
        let partial = path + ".new-" + String(getpid())
        do {
            try DurableFile.remove(partial)
            defer { try? DurableFile.remove(partial) }
            let copy = try copied(to: partial)
            defer { close(copy) }
            if isTaken {
                try DurableFile.move(partial, to: path)
            } else {
                try DurableFile.link(partial, as: path)
                try DurableFile.sync((path as NSString).deletingLastPathComponent)
            }
            // After the name exists, so that a connection that is opened now gets the copy.
            for other in OpenDescriptors.all where other != descriptor && old.means(other) {
                try OpenDescriptors.make(other, mean: copy)
            }
            // Last: if one of the others fails, the log still counts as lost, and nothing more is written or read.
            try OpenDescriptors.make(descriptor, mean: copy)
        } catch {
            throw StoreError(error)
        }
    }

    /// Copies the open file to a new one and syncs it.
    ///
    /// - Returns: A descriptor of the copy.
    private func copied(to partial: String) throws -> Int32 {
        try DatabaseFile.create(at: partial, owner: FileOwner(beside: database))
        let copy = open(partial, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard copy >= 0 else { throw StoreError.unavailable("cannot open \(partial)") }
        do {
            let writing = FileHandle(fileDescriptor: copy, closeOnDealloc: false)
            var offset: off_t = 0
            var block = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let count = pread(descriptor, &block, block.count, offset)
                guard count >= 0 else { throw StoreError.unavailable("the deleted \(path) cannot be read") }
                if count == 0 { break }
                try DurableFile.write(Data(block[..<count]), to: writing, partial)
                offset += off_t(count)
            }
            try DurableFile.sync(partial)
            return copy
        } catch {
            close(copy)
            throw error
        }
    }
}
