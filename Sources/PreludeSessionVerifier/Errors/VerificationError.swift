/// The reason why a request is rejected, with the status and the header fields of the response.
public struct VerificationError: Error, Equatable, Sendable {
    /// The reason for the rejection.
    public let reason: Reason
    /// The required scope. Set for ``Reason/insufficientScope`` and ``Reason/insufficientUserAuthentication``.
    public let scope: String?
    /// The nonce that the next proof must carry (RFC 9449 §9).
    public internal(set) var nonce: String?
    /// The URLs of a proof for another URL, for the log of this backend. Set for ``Reason/wrongTarget``. They are in no
    /// response.
    public internal(set) var targets: ProofTargets?
    /// The scheme that the request used and the schemes that this backend accepts.
    var schemes: AuthenticationSchemes

    init(
        _ reason: Reason, scope: String? = nil, nonce: String? = nil,
        schemes: AuthenticationSchemes = AuthenticationSchemes()
    ) {
        self.reason = reason
        self.scope = scope
        self.nonce = nonce
        self.schemes = schemes
    }

    /// The error for a request without a verified user, for handlers that run without a verifier.
    public static let missingCredentials = VerificationError(.missingCredentials)

    /// The reason for a rejection. Later versions may add reasons.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The name of the reason in snake case.
        public let rawValue: String

        /// Creates a reason from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension VerificationError.Reason {
    /// The request has no `Authorization` header, or its scheme is not `Bearer` or `DPoP`.
    public static let missingCredentials = Self(rawValue: "missing_credentials")
    /// The request has more than one `Authorization` header.
    public static let severalCredentials = Self(rawValue: "several_credentials")
    /// The token is not a JWS with the claims of an access token.
    public static let malformed = Self(rawValue: "malformed")
    /// `alg` is not accepted, or it is not the algorithm of the key (RFC 8725 §3.1).
    public static let unsupportedAlgorithm = Self(rawValue: "unsupported_algorithm")
    /// The service has no key with this `kid`.
    public static let unknownKey = Self(rawValue: "unknown_key")
    /// The key does not verify the signature.
    public static let invalidSignature = Self(rawValue: "invalid_signature")
    /// `typ` names another type of token (RFC 8725 §3.11).
    public static let wrongType = Self(rawValue: "wrong_type")
    /// `iss` is not an accepted issuer (RFC 8725 §3.8).
    public static let wrongIssuer = Self(rawValue: "wrong_issuer")
    /// `aud` does not contain this backend's audience (RFC 8725 §3.9).
    public static let wrongAudience = Self(rawValue: "wrong_audience")
    /// A claim that RFC 9068 §2.2 requires is missing or empty.
    public static let missingClaim = Self(rawValue: "missing_claim")
    /// The time in `exp` has passed.
    public static let expired = Self(rawValue: "expired")
    /// The token is valid, but it is older than ``VerifiedUser/require(issuedWithin:)`` accepts.
    public static let tokenTooOld = Self(rawValue: "token_too_old")
    /// The time in `nbf` is in the future.
    public static let notYetValid = Self(rawValue: "not_yet_valid")
    /// The token is bound to a key, but the request uses the scheme `Bearer` (RFC 9449 §7.2).
    public static let boundToken = Self(rawValue: "bound_token")
    /// The token is not bound to a key, but the request uses the scheme `DPoP` (RFC 9449 §7.1).
    public static let unboundToken = Self(rawValue: "unbound_token")
    /// The request has no `DPoP` header, or more than one.
    public static let missingProof = Self(rawValue: "missing_proof")
    /// This verifier does not know the URLs of its backend, so it cannot check proofs. Set the parameter `resources` of
    /// ``SessionVerifier``.
    public static let dpopNotOffered = Self(rawValue: "dpop_not_offered")
    /// The proof is not a valid DPoP JWT, or the key in it did not sign it (RFC 9449 §4.3 steps 2 to 7).
    public static let invalidProof = Self(rawValue: "invalid_proof")
    /// The proof is for another method (RFC 9449 §4.3 step 8).
    public static let wrongMethod = Self(rawValue: "wrong_method")
    /// The proof is for another URL (RFC 9449 §4.3 step 9).
    ///
    /// If all proofs fail with this reason, check the parameter `resources` of ``SessionVerifier``. It must contain the
    /// URLs that the apps use, also when the backend runs behind a proxy.
    public static let wrongTarget = Self(rawValue: "wrong_target")
    /// `ath` is missing, or it is not the hash of the access token (RFC 9449 §4.3 step 12).
    public static let wrongAccessToken = Self(rawValue: "wrong_access_token")
    /// The key of the proof is not the key that the token is bound to (RFC 9449 §4.3 step 12).
    public static let wrongKey = Self(rawValue: "wrong_key")
    /// The `iat` of the proof differs too much from this backend's clock.
    public static let staleProof = Self(rawValue: "stale_proof")
    /// The proof was used before (RFC 9449 §11.1).
    public static let replayedProof = Self(rawValue: "replayed_proof")
    /// The proof must carry ``VerificationError/nonce`` (RFC 9449 §9).
    public static let nonceRequired = Self(rawValue: "nonce_required")
    /// The token lacks a scope (RFC 6750 §3.1).
    public static let insufficientScope = Self(rawValue: "insufficient_scope")
    /// The token lacks a scope that the user can get with a step-up (RFC 9470 §3).
    public static let insufficientUserAuthentication = Self(rawValue: "insufficient_user_authentication")
    /// The service's keys cannot be fetched, and the cached keys do not include this one. The token may be valid.
    public static let keysUnavailable = Self(rawValue: "keys_unavailable")
    /// The replay guard failed or is full. The proof may be valid.
    public static let replayGuardUnavailable = Self(rawValue: "replay_guard_unavailable")
}
