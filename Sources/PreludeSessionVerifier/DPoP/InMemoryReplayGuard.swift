internal import Crypto
public import Foundation

/// Remembers proofs in this process, a bounded number of them.
///
/// A proof takes 16 bytes in hash tables that double as they grow, at most three quarters full: a guard of the default
/// capacity was measured to take 12 MB when it is filled at once and up to 19 MB under a steady load. When it is full,
/// further proofs are refused rather than old ones forgotten: with a window of 60 seconds the default capacity lasts for
/// 2 100 requests a second, with nonces for 1 400.
///
/// One user's proofs fill a sixteenth of it at most, so that nobody keeps the others out. Users are counted in 4 096
/// groups; next to somebody who fills a group, those who happen to be in it are refused as well.
///
/// It goes by the verifier's clock: when that jumps ahead and back, proofs that were good at both times are good twice.
public actor InMemoryReplayGuard: ReplayGuard {
    /// Half of a SHA-256: nobody finds two proofs with the same.
    private struct Key: Hashable {
        private let high: UInt64
        private let low: UInt64

        init(_ proof: String) {
            (high, low) = SHA256.hash(data: Data(proof.utf8)).withUnsafeBytes { bytes in
                (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
        }
    }

    /// Proofs that may be forgotten together.
    private struct Slot {
        var proofs: Set<Key> = []
        var byGroup = GroupCounts()
    }

    /// The most proofs that are remembered at a time.
    public nonisolated let capacity: Int
    /// The most of one user's.
    public nonisolated let capacityPerUser: Int
    /// By the number of the half minute after which they end.
    private var slots: [Int64: Slot] = [:]
    private var count = 0
    private var byGroup = GroupCounts()

    private static let slotLength: TimeInterval = 30

    /// A guard for this many proofs at a time, at least one.
    public init(capacity: Int = 262_144) {
        self.capacity = max(1, capacity)
        capacityPerUser = max(1, self.capacity / 16)
    }

    /// - Throws: ``ReplayGuardFull``.
    public func reserve(_ proof: UsedProof, now: Date) throws -> Bool {
        removeExpired(before: Self.slot(of: now))
        let key = Key(proof.id)
        // Whoever holds the key can sign one `jti` again with another time, which is another slot.
        guard !slots.values.contains(where: { $0.proofs.contains(key) }) else { return false }
        guard count < capacity else { throw ReplayGuardFull(capacity: capacity) }
        guard byGroup[proof.userID] < capacityPerUser else { throw ReplayGuardFull(capacity: capacityPerUser) }
        count += 1
        byGroup[proof.userID] += 1
        var slot = slots.removeValue(forKey: Self.slot(of: proof.end)) ?? Slot()
        slot.proofs.insert(key)
        slot.byGroup[proof.userID] += 1
        slots[Self.slot(of: proof.end)] = slot
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

/// How many proofs there are of each of 4 096 groups of users: they take the same memory however many users there are.
///
/// Which users share a group differs from process to process, so nobody can choose whom to share one with.
private struct GroupCounts {
    private var counts = [Int32](repeating: 0, count: 4096)

    subscript(userID: String) -> Int32 {
        get { counts[Self.group(of: userID)] }
        set { counts[Self.group(of: userID)] = newValue }
    }

    mutating func subtract(_ other: GroupCounts) {
        for group in counts.indices { counts[group] -= other.counts[group] }
    }

    private static func group(of userID: String) -> Int {
        var hasher = Hasher()
        hasher.combine(userID)
        return Int(UInt(bitPattern: hasher.finalize()) % 4096)
    }
}

/// An ``InMemoryReplayGuard`` holds as many proofs as it may, of all users or of one.
public struct ReplayGuardFull: Error, Equatable, Sendable {
    /// The guard's capacity, or the one for each user.
    public let capacity: Int
}
