internal import Crypto
public import Foundation
internal import SessionTokens

/// Stores the ids of used DPoP proofs, so that each proof is accepted once (RFC 9449 §11.1).
///
/// A backend with several processes can implement this protocol with their shared database or cache. Use one atomic
/// statement that inserts the id and reports whether it was new, such as `SET id "" NX EXAT end`. The clock of that store
/// may differ from the verifier's clock by up to 30 seconds.
public protocol ReplayGuard: Sendable {
    /// Stores a proof.
    ///
    /// - Parameters:
    ///   - proof: A proof that passed all other checks.
    ///   - now: The time of the verifier's clock.
    /// - Returns: `false` if the proof is already stored.
    /// - Throws: Any error, if the store is unavailable. The verifier then rejects the request with status 503.
    func reserve(_ proof: UsedProof, now: Date) async throws -> Bool
}

/// A used DPoP proof, as a ``ReplayGuard`` stores it.
public struct UsedProof: Sendable, Hashable {
    /// 43 characters: a hash of the proof's key and `jti`.
    public let id: String
    /// The user of the access token (`sub`), for guards that limit the proofs of one user.
    public let userID: String
    /// When the guard may delete the proof: a whole second, 30 seconds after the proof expires.
    public let end: Date

    /// Creates a proof, for tests of your own guard.
    public init(id: String, userID: String, end: Date) {
        self.id = id
        self.userID = userID
        self.end = end
    }
}

/// A replay guard in the memory of this process, with a fixed capacity.
///
/// A full guard rejects new proofs and keeps the old ones. With a proof window of 60 seconds the default capacity allows
/// 2 100 requests per second, with nonces 1 400.
///
/// One user can fill at most a sixteenth of the capacity, so one user cannot block all others. The guard counts users in
/// 4 096 groups: a user who fills a group also blocks the other users of that group.
///
/// A proof takes 16 bytes in hash tables that double when they are three quarters full. Measured with the default
/// capacity: 12 MB when filled at once, up to 19 MB under a steady load.
///
/// The guard uses the verifier's clock. If that clock jumps forward and back, a proof that is valid at both times is
/// accepted twice.
public actor InMemoryReplayGuard: ReplayGuard {
    /// The first half of a SHA-256 hash: 128 bits prevent collisions.
    private struct Key: Hashable {
        private let high: UInt64
        private let low: UInt64

        init(_ proof: String) {
            (high, low) = SHA256.digest(of: proof).withUnsafeBytes { bytes in
                (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
        }
    }

    /// Proofs whose ends lie in the same half minute. They are removed together.
    private struct Slot {
        var proofs: Set<Key> = []
        var byGroup = GroupCounts()

        mutating func add(_ key: Key, group: Int) {
            proofs.insert(key)
            byGroup[group] += 1
        }
    }

    /// The maximum number of stored proofs.
    public nonisolated let capacity: Int
    /// The maximum number of stored proofs of one user.
    public nonisolated let capacityPerUser: Int
    /// The key is the number of half minutes since 1970 in which the proofs end.
    private var slots: [Int64: Slot] = [:]
    private var count = 0
    private var byGroup = GroupCounts()

    private static let slotLength: TimeInterval = 30

    /// Creates an empty guard.
    ///
    /// - Parameter capacity: The maximum number of stored proofs. Values below 1 count as 1.
    public init(capacity: Int = 262_144) {
        self.capacity = max(1, capacity)
        capacityPerUser = max(1, self.capacity / 16)
    }

    /// Stores a proof.
    ///
    /// - Parameters:
    ///   - proof: A proof that passed all other checks.
    ///   - now: The time of the verifier's clock.
    /// - Returns: `false` if the proof is already stored.
    /// - Throws: ``ReplayGuardFull`` if the guard, or the part for this user, is full.
    public func reserve(_ proof: UsedProof, now: Date) throws -> Bool {
        removeExpired(before: Self.slot(of: now))
        let key = Key(proof.id)
        // Search all slots: the owner of the key can sign the same `jti` with another time.
        guard !slots.values.contains(where: { $0.proofs.contains(key) }) else { return false }
        guard count < capacity else { throw ReplayGuardFull(capacity: capacity) }
        let group = GroupCounts.group(of: proof.userID)
        guard byGroup[group] < capacityPerUser else { throw ReplayGuardFull(capacity: capacityPerUser) }
        count += 1
        byGroup[group] += 1
        slots[Self.slot(of: proof.end), default: Slot()].add(key, group: group)
        return true
    }

    private func removeExpired(before current: Int64) {
        for (number, slot) in slots where number < current {
            count -= slot.proofs.count
            byGroup.subtract(slot.byGroup)
            slots[number] = nil
        }
    }

    private static func slot(of time: Date) -> Int64 {
        let slot = (time.timeIntervalSince1970 / slotLength).rounded(.down)
        return Int64(exactly: slot) ?? (slot > 0 ? .max : .min)
    }
}

/// The number of proofs of each of 4 096 groups of users. The memory does not depend on the number of users.
///
/// The groups differ from process to process (`Hasher` has a random seed), so an attacker cannot choose a victim's group.
private struct GroupCounts {
    private var counts = [Int32](repeating: 0, count: 4096)

    subscript(group: Int) -> Int32 {
        get { counts[group] }
        set { counts[group] = newValue }
    }

    mutating func subtract(_ other: GroupCounts) {
        for group in counts.indices { counts[group] -= other.counts[group] }
    }

    static func group(of userID: String) -> Int {
        var hasher = Hasher()
        hasher.combine(userID)
        return Int(UInt(bitPattern: hasher.finalize()) % 4096)
    }
}

/// An ``InMemoryReplayGuard`` is full, for all users or for one user.
public struct ReplayGuardFull: Error, Equatable, Sendable {
    /// The capacity that is exhausted: of the guard or of one user.
    public let capacity: Int
}
