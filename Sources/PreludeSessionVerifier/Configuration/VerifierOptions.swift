public import Foundation
internal import SessionTokens

/// The options of a verifier.
public struct VerifierOptions: Sendable {
    /// The accepted signature algorithms (RFC 8725 §3.1). Each key is used with one algorithm only. Tokens may name Ed25519
    /// as `EdDSA` or as `Ed25519` (RFC 9864).
    public var algorithms: Set<SignatureAlgorithmName> = [.edDSA, .es256, .rs256]

    /// The `typ` and the claims that a token must have.
    public var profile = TokenProfile.accessToken

    /// The accepted values of `iss`; `nil` accepts the host of the service only.
    ///
    /// Set both domains while an app moves to another domain. Set the public domain if the verifier fetches the keys under
    /// another name.
    public var issuers: Set<String>?

    /// The accepted clock difference for `exp` and `nbf`, in seconds; 0 to 300.
    public var leeway: TimeInterval = 5

    /// The accepted difference between the `iat` of a DPoP proof and the clock, in seconds (RFC 9449 §11.1); 5 to 300.
    public var proofWindow: TimeInterval = 60

    /// When a proof must carry a nonce of this backend (RFC 9449 §9).
    public var nonces = NoncePolicy.never

    /// Stores used proofs, so that each proof is accepted once (RFC 9449 §11.1).
    ///
    /// The default guard works within one process. Backends with several processes can implement ``ReplayGuard`` with their
    /// database or cache.
    public var replayGuard: any ReplayGuard = InMemoryReplayGuard()

    /// How the verifier caches the service's keys.
    public var keys = KeyCachePolicy()

    /// The clock of the verifier.
    public var environment = VerifierEnvironment.live

    /// Creates the default options.
    public init() {}
}

extension VerifierOptions {
    /// Checks the options.
    ///
    /// - Throws: ``VerifierConfigurationError``, which names the option.
    func validate() throws(VerifierConfigurationError) {
        guard (0...300).contains(leeway) else {
            throw VerifierConfigurationError("options.leeway", "must be 0 to 300 seconds")
        }
        guard (5...300).contains(proofWindow) else {
            throw VerifierConfigurationError("options.proofWindow", "must be 5 to 300 seconds")
        }
        guard algorithms.contains(where: { SignatureAlgorithm(rawValue: $0.rawValue) != nil }) else {
            throw VerifierConfigurationError("options.algorithms", "must contain EdDSA, Ed25519, ES256 or RS256")
        }
        guard issuers.map({ !$0.isEmpty }) ?? true else {
            throw VerifierConfigurationError(
                "options.issuers", "must contain an issuer, or be nil for the service's host")
        }
        try keys.validate()
        try nonces.validate()
    }
}
