public import Foundation
internal import SessionTokens

/// What a verifier accepts beyond the defaults.
public struct VerifierOptions: Sendable {
    /// Signature algorithms that are accepted (RFC 8725 §3.1); each key of the service is used with one of them.
    public var algorithms: Set<SignatureAlgorithmName> = [.edDSA, .es256, .rs256]

    /// What a token must say of itself.
    public var profile = TokenProfile.accessToken

    /// The values of `iss` that are accepted; `nil` is the host of the service, which it is unless the app has a domain of
    /// its own. Name both while an app moves to another domain, or the public one where keys are fetched by another name.
    public var issuers: Set<String>?

    /// How far clocks may differ when `exp` and `nbf` are looked at, in seconds; 0 to 300.
    public var leeway: TimeInterval = 5

    /// How far the `iat` of a DPoP proof may be off, either way, in seconds (RFC 9449 §11.1); 5 to 300.
    public var proofWindow: TimeInterval = 60

    /// When a proof must carry a nonce of this backend (RFC 9449 §9).
    public var nonces = NoncePolicy.never

    /// Remembers proofs, so that each is accepted once (RFC 9449 §11.1). One for each process by default; backends with
    /// several processes can share one through their database or cache.
    public var replayGuard: any ReplayGuard = InMemoryReplayGuard()

    /// How the service's keys are kept.
    public var keys = KeyCachePolicy()

    /// Where time comes from.
    public var environment = VerifierEnvironment.live

    /// The defaults.
    public init() {}
}

extension VerifierOptions {
    /// - Throws: ``VerifierConfigurationError``, which names the option.
    func validate() throws(VerifierConfigurationError) {
        guard (0...300).contains(leeway) else {
            throw VerifierConfigurationError("options.leeway", "must be 0 to 300 seconds")
        }
        guard (5...300).contains(proofWindow) else {
            throw VerifierConfigurationError("options.proofWindow", "must be 5 to 300 seconds")
        }
        guard algorithms.contains(where: { SignatureAlgorithm(rawValue: $0.rawValue) != nil }) else {
            throw VerifierConfigurationError("options.algorithms", "must have one of EdDSA, ES256, RS256")
        }
        guard issuers.map({ !$0.isEmpty }) ?? true else {
            throw VerifierConfigurationError("options.issuers", "must name one, or be nil for the service's host")
        }
        try keys.validate()
        try nonces.validate()
    }
}
