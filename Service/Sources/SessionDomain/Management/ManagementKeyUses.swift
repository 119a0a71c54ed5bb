internal import Synchronization

/// The last uses of management keys in this process that are not stored yet. A use costs no write.
final class ManagementKeyUses: Sendable {
    private let times = Mutex<[String: Timestamp]>([:])

    func note(_ id: String, at now: Timestamp) { times.withLock { $0[id] = now } }

    /// The last use of a key that is not stored yet.
    func last(of id: String) -> Timestamp? { times.withLock { $0[id] } }

    /// Returns all uses and forgets them.
    func take() -> [String: Timestamp] {
        times.withLock { times in
            defer { times = [:] }
            return times
        }
    }

    /// Adds uses again that could not be stored. Later ones stay.
    func putBack(_ uses: [String: Timestamp]) { times.withLock { $0.merge(uses) { max($0, $1) } } }
}
