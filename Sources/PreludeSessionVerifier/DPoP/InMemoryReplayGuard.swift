internal import Crypto
public import Foundation

/// Remembers proofs in this process, a bounded number of them.
///
/// A proof takes 16 bytes in hash tables that double as they grow, at most three quarters full: filling a guard of the
/// default capacity was measured to take 9 to 15 MB. When it is full, further proofs are refused rather than old ones
/// forgotten: with a window of 60 seconds the default capacity lasts for 2 000 requests a second, with nonces, whose proofs
/// are good for up to ten minutes, for 400.
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

    /// The most proofs that are remembered at a time.
    public nonisolated let capacity: Int
    /// By the number of the half minute after which they may be forgotten together.
    private var slots: [Int64: Set<Key>] = [:]
    private var count = 0

    private static let slotLength: TimeInterval = 30

    /// A guard for this many proofs at a time, at least one.
    public init(capacity: Int = 262_144) {
        self.capacity = max(1, capacity)
    }

    /// - Throws: ``ReplayGuardFull``.
    public func reserve(_ proof: String, now: Date, until end: Date) throws -> Bool {
        forget(before: Self.slot(of: now))
        let key = Key(proof)
        // With a nonce the end counts from when the proof came, so the same one may fall into another slot.
        guard !slots.values.contains(where: { $0.contains(key) }) else { return false }
        guard count < capacity else { throw ReplayGuardFull(capacity: capacity) }
        slots[Self.slot(of: end), default: []].insert(key)
        count += 1
        return true
    }

    private func forget(before current: Int64) {
        for (slot, keys) in slots where slot < current {
            count -= keys.count
            slots[slot] = nil
        }
    }

    private static func slot(of time: Date) -> Int64 {
        let slot = (time.timeIntervalSince1970 / slotLength).rounded(.down)
        return Int64(exactly: slot) ?? (slot > 0 ? .max : .min)
    }
}

/// An ``InMemoryReplayGuard`` holds as many proofs as it may.
public struct ReplayGuardFull: Error, Equatable, Sendable {
    /// The guard's capacity.
    public let capacity: Int
}
