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
    func isExpired(at now: Date) -> Bool { expiresAt.map { $0 < now } ?? false }

    /// Whether a revocation need not be sent again: the server revoked the session, or it never will.
    ///
    /// Only the service's own responses count. A captive portal or a proxy responds with a page and any status: an error
    /// without the service's body, or a success with a body. The service's success has none.
    static func isSettled(by result: Result<TransportAnswer, any Error>) -> Bool {
        switch result {
        case .success(let answer): return answer.body.isEmpty
        case .failure(PreludeSessionError.deviceKeyLost): return true
        case .failure(let response as ErrorResponse):
            return !response.isForeign && (400..<500).contains(response.status) && response.status != 429
        case .failure: return false
        }
    }
}
