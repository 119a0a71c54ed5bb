public import Foundation

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
