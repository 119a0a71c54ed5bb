public import Foundation
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

/// Decides when a proof must carry a nonce of this backend (RFC 9449 §9).
///
/// Nonces are valid for one to two minutes. Secrets have 32 random bytes, the same on every node.
///
/// To change the secret without rejected requests: first add the new secret to `older` on every node, then swap the two on
/// every node, then remove the old secret two minutes later.
public enum NoncePolicy: Sendable {
    /// Never. Only `iat` decides whether a proof is fresh. The backend issues no nonces (RFC 9449 §11.3).
    case never
    /// Only if the `iat` of the proof is outside the window, so that devices with a wrong clock can connect.
    ///
    /// This does not add security. Proofs made ahead of time stay valid, as with `never` (RFC 9449 §11.2). A client that
    /// received a nonce may omit it when its `iat` is right; RFC 9449 §11.3 forbids that, but a stateless verifier cannot
    /// detect it. Use `always` to prevent both.
    case whenNeeded(secret: Data, older: [Data] = [])
    /// Always. A proof is made at most two minutes before its use (RFC 9449 §11.2).
    case always(secret: Data, older: [Data] = [])
}

extension NoncePolicy {
    /// Checks the secrets.
    ///
    /// - Throws: ``VerifierConfigurationError`` if a secret does not have 32 bytes.
    func validate() throws(VerifierConfigurationError) {
        switch self {
        case .never: return
        case .whenNeeded(let secret, let older), .always(let secret, let older):
            guard ([secret] + older).allSatisfy({ $0.count == 32 }) else {
                throw VerifierConfigurationError("options.nonces", "must have secrets of 32 random bytes")
            }
        }
    }

    /// The policy with the issuers of its nonces.
    ///
    /// - Parameter audience: The backend that accepts the nonces. Two backends with one secret get different nonces.
    func resolved(audience: String) -> ProofPolicy.Nonces {
        switch self {
        case .never: .never
        case .whenNeeded(let secret, let older): .whenNeeded(Self.nonces(secret, older, audience: audience))
        case .always(let secret, let older): .always(Self.nonces(secret, older, audience: audience))
        }
    }

    /// Windows of 60 seconds: short, because the replay guard stores a proof until its nonce expires.
    private static func nonces(_ secret: Data, _ older: [Data], audience: String) -> DPoPNonceIssuer {
        DPoPNonceIssuer(secret: secret, older: older, audience: audience, window: 60)
    }
}
