/// Hashes and checks passwords, at a cost that makes guessing expensive.
///
/// The number of callers is bounded. A caller gets a place first, so that a full queue is reported before the caller
/// counts or changes anything.
package protocol PasswordHasher: Sendable {
    /// Returns a place in the queue for one caller of an app. No app can take all of three or more places.
    ///
    /// - Throws: `Refusal.overloaded` if no place is free for this app.
    func admit(app: AppID) throws -> HashingPlace
}

extension PasswordHasher {
    /// Returns a new salted hash. For callers that count nothing before.
    func hash(_ password: String, app: AppID) async throws -> String {
        let place = try admit(app: app)
        return try await place.hash(password)
    }
}

/// The work of a hasher for a caller that has a place.
package protocol PasswordHashing: Sendable {
    /// Returns a new salted hash, which names its scheme and cost (PHC string format).
    func hash(_ password: String) async throws -> String

    /// Checks a password. Without a hash it does the same work on a dummy hash and returns `.wrong`, so that the time
    /// does not show which accounts exist.
    func verify(_ password: String, against hash: String?) async throws -> PasswordVerdict
}

/// A place in the queue of a hasher. It is free again when its scope ends: by a return, an error or a cancellation.
package struct HashingPlace: ~Copyable, Sendable {
    private let hashing: any PasswordHashing
    private let leave: @Sendable () -> Void

    package init(_ hashing: any PasswordHashing, leave: @escaping @Sendable () -> Void = {}) {
        self.hashing = hashing
        self.leave = leave
    }

    deinit { leave() }

    package func hash(_ password: String) async throws -> String { try await hashing.hash(password) }

    package func verify(_ password: String, against hash: String?) async throws -> PasswordVerdict {
        try await hashing.verify(password, against: hash)
    }
}

package enum PasswordVerdict: Sendable, Equatable {
    /// `needsUpgrade`: the stored hash has a lower cost than a new one.
    case right(needsUpgrade: Bool)
    case wrong
}
