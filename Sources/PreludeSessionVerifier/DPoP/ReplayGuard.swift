public import Foundation

/// Remembers which DPoP proofs were used, so that none is accepted twice (RFC 9449 §11.1).
///
/// A backend of several processes that wants a proof to be good once in all of them implements this over what they share,
/// with one statement that inserts and tells whether it did (such as `SET key "" NX EXAT time`).
public protocol ReplayGuard: Sendable {
    /// Remembers a proof.
    ///
    /// - Parameters:
    ///   - proof: 43 characters that stand for the proof's key and `jti`.
    ///   - now: The time by the verifier's clock.
    ///   - end: When the proof would not be accepted any more, so that it may be forgotten.
    /// - Returns: `false` when it is remembered already.
    /// - Throws: Anything, when that cannot be told; the request is then refused with status 503.
    func reserve(_ proof: String, now: Date, until end: Date) async throws -> Bool
}
