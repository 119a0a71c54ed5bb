/// Why a request is not let in, with the answer that tells its sender so.
public struct VerificationError: Error, Equatable, Sendable {
    /// What was wrong.
    public let reason: Reason
    /// The scope that was asked for, with ``Reason/insufficientScope`` and ``Reason/insufficientUserAuthentication``.
    public let scope: String?
    /// The nonce that the next proof must carry (RFC 9449 §9).
    public internal(set) var nonce: String?
    /// What the caller used, and what it may use.
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

    /// The refusal of a request that nobody vouched for, for handlers that were reached without a verifier.
    public static let missingCredentials = VerificationError(.missingCredentials)

    /// What was wrong. Later versions may know more reasons.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// A short name in snake case.
        public let rawValue: String

        /// A reason by its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension VerificationError.Reason {
    /// There is no `Authorization`, or none of a scheme that is known.
    public static let missingCredentials = Self(rawValue: "missing_credentials")
    /// More than one `Authorization`.
    public static let severalCredentials = Self(rawValue: "several_credentials")
    /// The token is no JWS with the claims of an access token.
    public static let malformed = Self(rawValue: "malformed")
    /// `alg` is not accepted, or not the algorithm of the key (RFC 8725 §3.1).
    public static let unsupportedAlgorithm = Self(rawValue: "unsupported_algorithm")
    /// The service has no key with this `kid`.
    public static let unknownKey = Self(rawValue: "unknown_key")
    /// The signature is not the key's.
    public static let invalidSignature = Self(rawValue: "invalid_signature")
    /// `typ` is another kind of token (RFC 8725 §3.11).
    public static let wrongType = Self(rawValue: "wrong_type")
    /// `iss` is somebody else (RFC 8725 §3.8).
    public static let wrongIssuer = Self(rawValue: "wrong_issuer")
    /// `aud` is somebody else (RFC 8725 §3.9).
    public static let wrongAudience = Self(rawValue: "wrong_audience")
    /// A claim that RFC 9068 §2.2 requires is missing.
    public static let missingClaim = Self(rawValue: "missing_claim")
    /// `exp` is past.
    public static let expired = Self(rawValue: "expired")
    /// The token is good, and older than ``VerifiedUser/require(issuedWithin:)`` asks for.
    public static let tokenTooOld = Self(rawValue: "token_too_old")
    /// `nbf` is still to come.
    public static let notYetValid = Self(rawValue: "not_yet_valid")
    /// The token is bound to a key and was sent without a proof, as a bearer token (RFC 9449 §7.2).
    public static let boundToken = Self(rawValue: "bound_token")
    /// The token is a bearer token and was sent with the scheme `DPoP` (RFC 9449 §7.1).
    public static let unboundToken = Self(rawValue: "unbound_token")
    /// There is no `DPoP` header, or more than one.
    public static let missingProof = Self(rawValue: "missing_proof")
    /// This verifier was given no URL of the backend, so no proof can name one. See `resources` of ``SessionVerifier``.
    public static let dpopNotOffered = Self(rawValue: "dpop_not_offered")
    /// The proof is no JWT of this kind, or not signed by the key in it (RFC 9449 §4.3 steps 2 to 7).
    public static let invalidProof = Self(rawValue: "invalid_proof")
    /// The proof is for another method (RFC 9449 §4.3 step 8).
    public static let wrongMethod = Self(rawValue: "wrong_method")
    /// The proof is for another URL (RFC 9449 §4.3 step 9). If all proofs are, look at `resources` of ``SessionVerifier``:
    /// they must be the URLs that the apps use, also behind a proxy.
    public static let wrongTarget = Self(rawValue: "wrong_target")
    /// The proof is for another access token, or for none (RFC 9449 §4.3 step 12).
    public static let wrongAccessToken = Self(rawValue: "wrong_access_token")
    /// The proof is by another key than the token's (RFC 9449 §4.3 step 12).
    public static let wrongKey = Self(rawValue: "wrong_key")
    /// The proof's `iat` is too far off.
    public static let staleProof = Self(rawValue: "stale_proof")
    /// The proof was used before (RFC 9449 §11.1).
    public static let replayedProof = Self(rawValue: "replayed_proof")
    /// The proof must carry ``VerificationError/nonce`` (RFC 9449 §9).
    public static let nonceRequired = Self(rawValue: "nonce_required")
    /// The token lacks a scope (RFC 6750 §3.1).
    public static let insufficientScope = Self(rawValue: "insufficient_scope")
    /// The token lacks a scope that a step-up can get (RFC 9470 §3).
    public static let insufficientUserAuthentication = Self(rawValue: "insufficient_user_authentication")
    /// The service's keys cannot be fetched, and those that are kept do not help. The sender may be right.
    public static let keysUnavailable = Self(rawValue: "keys_unavailable")
    /// The replay guard does not answer, or is full. The sender may be right.
    public static let replayGuardUnavailable = Self(rawValue: "replay_guard_unavailable")
}
