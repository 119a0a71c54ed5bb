/// Hashes and checks passwords at a cost that no guesser can pay often.
package protocol PasswordHasher: Sendable {
    /// A new hash, salted, with its scheme and cost in it (PHC string format).
    ///
    /// - Throws: `Refusal.overloaded` when too many wait.
    func hash(_ password: String) async throws -> String

    /// Checks a password. Without a hash the same work is done against a dummy and the answer is `.wrong`, so that
    /// nobody learns from the time who has an account.
    ///
    /// - Throws: `Refusal.overloaded` when too many wait.
    func verify(_ password: String, against hash: String?) async throws -> PasswordVerdict
}

package enum PasswordVerdict: Sendable, Equatable {
    /// `needsUpgrade`: the stored hash has a lower cost than today's.
    case right(needsUpgrade: Bool)
    case wrong
}
