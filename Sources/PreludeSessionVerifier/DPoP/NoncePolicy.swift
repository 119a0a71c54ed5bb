public import Foundation
internal import SessionTokens

/// When a proof must carry a nonce of this backend (RFC 9449 §9). Secrets have 32 bytes, the same on every node.
///
/// A nonce is good for one to two minutes.
public enum NoncePolicy: Sendable {
    /// Never: a proof is fresh by its `iat`.
    case never
    /// When its `iat` is not within the window, which lets in devices whose clock is wrong.
    case whenNeeded(secret: Data)
    /// Always.
    case always(secret: Data)
}

extension NoncePolicy {
    /// - Throws: ``VerifierConfigurationError`` for a secret of another length.
    func validate() throws(VerifierConfigurationError) {
        switch self {
        case .never: return
        case .whenNeeded(let secret), .always(let secret):
            guard secret.count == 32 else {
                throw VerifierConfigurationError("options.nonces", "must have a secret of 32 random bytes")
            }
        }
    }

    /// - Parameter audience: What the nonces are good for, so that two backends with one secret have their own.
    func resolved(audience: String) -> ProofPolicy.Nonces {
        switch self {
        case .never: .never
        case .whenNeeded(let secret): .whenNeeded(Self.nonces(secret, audience: audience))
        case .always(let secret): .always(Self.nonces(secret, audience: audience))
        }
    }

    /// Short windows, as each proof is remembered for as long as its nonce lives.
    private static func nonces(_ secret: Data, audience: String) -> DPoPNonce {
        DPoPNonce(secret: secret, audience: audience, window: 60)
    }
}
