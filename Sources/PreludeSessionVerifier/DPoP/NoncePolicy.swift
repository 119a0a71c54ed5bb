public import Foundation
internal import SessionTokens

/// When a proof must carry a nonce of this backend (RFC 9449 §9). Secrets have 32 bytes, the same on every node.
///
/// A nonce is good for one to two minutes. To change the secret without a refusal, make the new one an `older` of the old
/// on every node, then change their places, and two minutes later take the old one away.
public enum NoncePolicy: Sendable {
    /// Never: a proof is fresh by its `iat`. No nonce is given, so none can be asked for (RFC 9449 §11.3).
    case never
    /// When its `iat` is not within the window, so that a wrong clock locks nobody out. It is no defence: proofs made
    /// ahead of time are as good as with `never` (§11.2), and a client that was given a nonce may come without one once its
    /// `iat` is right, which §11.3 forbids and a verifier without memory cannot see. Against them there is `always`.
    case whenNeeded(secret: Data, older: [Data] = [])
    /// Always: a proof is made at most two minutes before it is used (§11.2).
    case always(secret: Data, older: [Data] = [])
}

extension NoncePolicy {
    /// - Throws: ``VerifierConfigurationError`` for a secret of another length.
    func validate() throws(VerifierConfigurationError) {
        switch self {
        case .never: return
        case .whenNeeded(let secret, let older), .always(let secret, let older):
            guard ([secret] + older).allSatisfy({ $0.count == 32 }) else {
                throw VerifierConfigurationError("options.nonces", "must have secrets of 32 random bytes")
            }
        }
    }

    /// - Parameter audience: What the nonces are good for, so that two backends with one secret have their own.
    func resolved(audience: String) -> ProofPolicy.Nonces {
        switch self {
        case .never: .never
        case .whenNeeded(let secret, let older): .whenNeeded(Self.nonces(secret, older, audience: audience))
        case .always(let secret, let older): .always(Self.nonces(secret, older, audience: audience))
        }
    }

    /// Short windows, as each proof is remembered for as long as its nonce lives.
    private static func nonces(_ secret: Data, _ older: [Data], audience: String) -> DPoPNonceIssuer {
        DPoPNonceIssuer(secret: secret, older: older, audience: audience, window: 60)
    }
}
