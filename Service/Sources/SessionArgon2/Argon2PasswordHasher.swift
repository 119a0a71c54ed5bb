internal import Foundation
package import SessionDomain

/// Hashes passwords with Argon2id (RFC 9106) on its own threads.
///
/// Uses at most `slots` times the memory of the cost. While it verifies costlier imported hashes, it uses up to `slots`
/// times `max(64 MiB, twice the memory of the cost)`.
package struct Argon2PasswordHasher: PasswordHasher {
    private let cost: Argon2Cost
    private let engine: Argon2Engine
    private let queue: HashingQueue
    /// Verified when there is no stored hash, so that both cases take the same time. Has the current cost.
    private let dummy: String

    /// - Parameters:
    ///   - slots: Hashes that are computed at the same time. `nil`: one per core.
    ///   - waitingLimit: Callers that may wait for a slot.
    ///   - observer: Receives how long hashes wait and take.
    /// - Throws: `Argon2Error` when libsodium or the memory for one hash is unavailable.
    package init(
        cost: Argon2Cost = .standard, slots: Int? = nil, waitingLimit: Int = 64,
        observer: any ServiceObserver = NoObserver()
    ) throws {
        try self.init(
            cost: cost, slots: slots ?? ProcessInfo.processInfo.activeProcessorCount, waitingLimit: waitingLimit,
            engine: .sodium(), observer: observer)
    }

    init(
        cost: Argon2Cost, slots: Int, waitingLimit: Int, engine: Argon2Engine,
        observer: any ServiceObserver = NoObserver()
    ) throws {
        self.cost = cost
        self.engine = engine
        queue = HashingQueue(slots: max(1, slots), waitingLimit: max(0, waitingLimit), observer: observer)
        // No password matches it. A match would be ignored.
        dummy = try engine.dummy(cost)
    }

    package func admit(app: AppID) throws -> HashingSlot {
        try queue.enter(app)
        return HashingSlot(Argon2Work(hasher: self, app: app)) { [queue] in queue.leave(app) }
    }

    fileprivate func hash(_ password: String, app: AppID) async throws -> String {
        let (engine, cost, bytes) = (engine, cost, Self.normalized(password))
        return try await queue.perform(app) { try engine.hash(bytes, cost) }
    }

    fileprivate func verify(_ password: String, against hash: String?, app: AppID) async throws -> PasswordVerdict {
        let (engine, bytes) = (engine, Self.normalized(password))
        guard let hash, let stored = acceptable(hash) else {
            let dummy = dummy
            _ = try await queue.perform(app) { try engine.verify(bytes, dummy) }
            return .wrong
        }
        guard try await queue.perform(app, { try engine.verify(bytes, hash) }) else { return .wrong }
        return .right(needsUpgrade: stored.cost.passes < cost.passes || stored.cost.memory < cost.memory)
    }

    /// Whether a stored hash can be verified: Argon2id at a cost within `storedLimit`. Imports check this before they
    /// store a hash. Any other hash never matches.
    package func isAcceptable(_ hash: String) -> Bool { acceptable(hash) != nil }

    private func acceptable(_ hash: String) -> PHCString? {
        guard hash.utf8.count < 128, let stored = PHCString(hash), stored.cost.isWithin(cost.storedLimit),
            stored.lanes <= 16
        else { return nil }
        return stored
    }

    /// Normalizes to NFKC, so that a password from another keyboard gives the same bytes (NIST SP 800-63B-4 §3.1.1.2).
    static func normalized(_ password: String) -> [CChar] {
        password.precomposedStringWithCompatibilityMapping.utf8.map(CChar.init(bitPattern:))
    }
}

/// The work of the hasher in the queue of one app.
private struct Argon2Work: PasswordHashing {
    let hasher: Argon2PasswordHasher
    let app: AppID

    func hash(_ password: String) async throws -> String { try await hasher.hash(password, app: app) }

    func verify(_ password: String, against hash: String?) async throws -> PasswordVerdict {
        try await hasher.verify(password, against: hash, app: app)
    }
}

extension Argon2PasswordHasher: CustomStringConvertible, CustomReflectable {
    /// Without the dummy hash: logs must not contain hashes.
    package var description: String { "Argon2PasswordHasher" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
