internal import Foundation

/// The first bytes of the shared index of the log, the file `-shm` (SQLite: "WAL-Index Format", "The WAL-Index Header").
///
/// They say which part of the log has committed pages. A log that is shorter, or that begins with other bytes, was
/// truncated or overwritten. SQLite does not compare: it would go on behind the gap, and copy the gap into the database.
struct LogIndex: Sendable {
    private static let size = (index: 48, log: 32, frame: 24)

    /// SQLite's own descriptor of the index. A second one must not be closed: that would release SQLite's locks.
    private let descriptor: Int32
    private let identity: FileIdentity

    /// - Parameter identity: The index of a database that this process has open.
    /// - Returns: `nil` if this process has not opened the index.
    init?(_ identity: FileIdentity) {
        guard let descriptor = OpenDescriptors.all.first(where: { FileIdentity(descriptor: $0) == identity }) else {
            return nil
        }
        (self.descriptor, self.identity) = (descriptor, identity)
    }

    /// The committed pages of a log, if it contains them all. The caller holds the write lock, so the index does not change.
    ///
    /// - Parameter log: A descriptor of the log.
    /// - Returns: `nil` if pages are missing.
    func pages(coveredBy log: Int32) -> Int? {
        var index = [UInt8](repeating: 0, count: Self.size.index)
        guard pread(descriptor, &index, index.count, 0) == index.count else { return nil }
        let (pageField, frames) = index.withUnsafeBytes {
            (Int($0.load(fromByteOffset: 14, as: UInt16.self)), Int($0.load(fromByteOffset: 16, as: UInt32.self)))
        }
        // All pages are in the database.
        guard frames > 0 else { return 0 }
        let page = (pageField & 0xFE00) + ((pageField & 1) << 16)
        var header = [UInt8](repeating: 0, count: Self.size.log)
        guard let file = FileStatus(descriptor: log),
            file.size >= Self.size.log + frames * (Self.size.frame + page),
            pread(log, &header, header.count, 0) == header.count
        else { return nil }
        // The salt, which is a new one each time the log begins again.
        return header[16..<24] == index[32..<40] ? frames : nil
    }
}
