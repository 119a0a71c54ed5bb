internal import Foundation
package import SessionDomain

/// Argon2id (RFC 9106) on threads of its own.
///
/// Memory at most: `slots` × the cost's memory; × twice that, at least 64 MiB, while costlier imported hashes are
/// still checked.
package struct Argon2PasswordHasher: PasswordHasher {
    private let cost: Argon2Cost
    private let engine: Argon2Engine
    private let queue: HashingQueue
    /// What is checked when there is no hash: today's cost, and a password nobody has.
    private let dummy: String

    /// - Parameters:
    ///   - slots: Hashes computed at the same time; one a core when `nil`.
    ///   - waitingLimit: Further ones that may wait.
    /// - Throws: `Argon2Error` when libsodium or the memory for one hash is not to be had.
    package init(cost: Argon2Cost = .standard, slots: Int? = nil, waitingLimit: Int = 64) throws {
        try self.init(
            cost: cost, slots: slots ?? ProcessInfo.processInfo.activeProcessorCount, waitingLimit: waitingLimit,
            engine: .sodium())
    }

    init(cost: Argon2Cost, slots: Int, waitingLimit: Int, engine: Argon2Engine) throws {
        self.cost = cost
        self.engine = engine
        queue = HashingQueue(slots: max(1, slots), waitingLimit: max(0, waitingLimit))
        // The salt is random, so even this known password has a hash that nobody can look up; and it is never right.
        dummy = try engine.hash(Self.normalized("dummy"), cost)
    }

    package func hash(_ password: String) async throws -> String {
        let (engine, cost, bytes) = (engine, cost, Self.normalized(password))
        return try await queue.perform { try engine.hash(bytes, cost) }
    }

    package func verify(_ password: String, against hash: String?) async throws -> PasswordVerdict {
        let (engine, bytes) = (engine, Self.normalized(password))
        guard let hash, let stored = acceptable(hash) else {
            let dummy = dummy
            _ = try await queue.perform { engine.verify(bytes, dummy) }
            return .wrong
        }
        guard try await queue.perform({ engine.verify(bytes, hash) }) else { return .wrong }
        return .right(needsUpgrade: stored.cost.passes < cost.passes || stored.cost.memory < cost.memory)
    }

    /// Whether a stored hash can be checked here: Argon2id at a cost that does not endanger the service. Imports ask it
    /// before they store one; any other hash is never right.
    package func isAcceptable(_ hash: String) -> Bool { acceptable(hash) != nil }

    private func acceptable(_ hash: String) -> PHCString? {
        guard hash.utf8.count < 128, let stored = PHCString(hash), stored.cost.isWithin(cost.storedLimit),
            stored.lanes <= 16
        else { return nil }
        return stored
    }

    /// NFKC, so that one password typed on two keyboards is one (NIST SP 800-63B-4 §3.1.1.2).
    private static func normalized(_ password: String) -> [CChar] {
        password.precomposedStringWithCompatibilityMapping.utf8.map(CChar.init(bitPattern:))
    }
}
