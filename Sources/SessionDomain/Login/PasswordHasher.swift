/// Hashes and checks passwords, at a cost that makes guessing expensive.
package protocol PasswordHasher: Sendable {
    /// Returns a new salted hash, which names its scheme and cost (PHC string format).
    ///
    /// - Throws: `Refusal.overloaded` if too many calls wait.
    func hash(_ password: String) async throws -> String

    /// Checks a password. Without a hash it does the same work on a dummy hash and returns `.wrong`, so that the time
    /// does not show which accounts exist.
    ///
    /// - Throws: `Refusal.overloaded` if too many calls wait.
    func verify(_ password: String, against hash: String?) async throws -> PasswordVerdict
}

package enum PasswordVerdict: Sendable, Equatable {
    /// `needsUpgrade`: the stored hash has a lower cost than a new one.
    case right(needsUpgrade: Bool)
    case wrong
}
