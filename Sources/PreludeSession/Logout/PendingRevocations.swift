internal import Foundation

/// The record of sessions that ended on this device and that the server must still revoke.
///
/// Bounded: when it is full, the oldest entry is dropped.
struct PendingRevocations: VersionedRecord, Equatable {
    static let recordName = RecordName.revocations

    struct Entry: Codable, Sendable, Equatable {
        let refreshToken: String
        let expiresAt: Date?
    }

    static let capacity = 16

    var version = PendingRevocations.currentVersion
    private(set) var entries: [Entry] = []

    mutating func add(_ entry: Entry) {
        entries.append(entry)
        if entries.count > Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
    }

    mutating func remove(_ entry: Entry) { entries.removeAll { $0 == entry } }
}

extension PendingRevocations.Entry {
    init(_ session: StoredSession) {
        self.init(refreshToken: session.refreshToken, expiresAt: session.refreshTokenExpiresAt)
    }

    /// Whether the session has expired, so there is nothing to revoke.
    ///
    /// - Parameter now: By the server's clock.
    func isExpired(at now: Date) -> Bool { expiresAt.map { $0 < now } ?? false }
}
