public import Foundation

/// Remembers which DPoP proofs were used, so that none is accepted twice (RFC 9449 §11.1).
///
/// A backend of several processes that wants a proof to be good once in all of them implements this over what they share,
/// with one statement that inserts and tells whether it did (such as `SET id "" NX EXAT end`). Its clock may differ from
/// this one's by half a minute.
public protocol ReplayGuard: Sendable {
    /// Remembers a proof.
    ///
    /// - Parameters:
    ///   - proof: The proof, of which everything else was found to be right.
    ///   - now: The time by the verifier's clock.
    /// - Returns: `false` when it is remembered already.
    /// - Throws: Anything, when that cannot be told; the request is then refused with status 503.
    func reserve(_ proof: UsedProof, now: Date) async throws -> Bool
}

/// A DPoP proof as a ``ReplayGuard`` knows it.
public struct UsedProof: Sendable, Hashable {
    /// 43 characters that stand for the proof's key and `jti`.
    public let id: String
    /// Whose token came with it (`sub`), for a guard that leaves room for others.
    public let userID: String
    /// When the proof may be forgotten: a whole second, half a minute after it was good for the last time.
    public let end: Date

    /// A proof, for tests of your own guard.
    public init(id: String, userID: String, end: Date) {
        self.id = id
        self.userID = userID
        self.end = end
    }
}
