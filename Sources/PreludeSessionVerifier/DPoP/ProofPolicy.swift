internal import Foundation
internal import SessionTokens

/// Decides whether a checked proof is fresh (RFC 9449 §4.3 steps 10 and 11, §9).
struct ProofPolicy: Sendable {
    /// The largest accepted difference between `iat` and the clock, in seconds.
    let window: TimeInterval
    let nonces: Nonces

    enum Nonces: Sendable {
        case never
        case whenNeeded(DPoPNonceIssuer)
        case always(DPoPNonceIssuer)
    }

    /// The time until which this policy accepts the proof, in seconds since 1970. The replay guard stores it until then.
    ///
    /// - Throws: `.staleProof`, or `.nonceRequired` with a nonce.
    func acceptedUntil(_ proof: CheckedProof, now: TimeInterval) throws(VerificationError) -> TimeInterval {
        let isTimely = abs(now - proof.issuedAt) <= window
        switch nonces {
        case .never:
            guard isTimely else { throw VerificationError(.staleProof) }
            return proof.issuedAt + window
        case .whenNeeded(let nonces):
            guard let nonce = proof.nonce else {
                guard isTimely else { throw Self.required(nonces, now: now) }
                return proof.issuedAt + window
            }
            return try Self.end(of: nonce, nonces, now: now)
        case .always(let nonces):
            guard let nonce = proof.nonce else { throw Self.required(nonces, now: now) }
            return try Self.end(of: nonce, nonces, now: now)
        }
    }

    /// The nonce for the next request, if every proof needs one. It saves the client a round trip (RFC 9449 §8.2).
    func next(now: TimeInterval) -> String? {
        guard case .always(let nonces) = nonces else { return nil }
        return nonces.current(at: Int64(now))
    }

    private static func end(
        of nonce: String, _ nonces: DPoPNonceIssuer, now: TimeInterval
    ) throws(VerificationError) -> TimeInterval {
        guard let end = nonces.end(of: nonce, at: Int64(now)) else { throw required(nonces, now: now) }
        return TimeInterval(end)
    }

    private static func required(_ nonces: DPoPNonceIssuer, now: TimeInterval) -> VerificationError {
        VerificationError(.nonceRequired, nonce: nonces.current(at: Int64(now)))
    }
}
