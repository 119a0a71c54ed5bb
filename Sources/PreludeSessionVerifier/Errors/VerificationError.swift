public import HTTPTypes
internal import SessionTokens

/// The reason why a request is rejected, with the status and the header fields of the response.
public struct VerificationError: Error, Equatable, Sendable {
    /// The reason for the rejection.
    public let reason: Reason
    /// The required scope. Set for ``Reason/insufficientScope`` and ``Reason/insufficientUserAuthentication``.
    public let scope: String?
    /// The nonce that the next proof must carry (RFC 9449 §9).
    public let nonce: String?
    /// The URLs of a proof for another URL, for the log of this backend. Set for ``Reason/wrongTarget``. They are in no
    /// response.
    public internal(set) var targets: ProofTargets?
    /// The scheme that the request used and the schemes that this backend accepts.
    private(set) var schemes: AuthenticationSchemes

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

extension VerificationError {
    /// The status of the response (RFC 6750 §3.1).
    ///
    /// 403 for ``Reason/insufficientScope``, 400 for ``Reason/severalCredentials``, 503 for ``Reason/keysUnavailable`` and
    /// ``Reason/replayGuardUnavailable``, 401 for all others.
    public var status: HTTPResponse.Status {
        switch reason {
        case .severalCredentials: .badRequest
        case .insufficientScope: .forbidden
        case .keysUnavailable, .replayGuardUnavailable: .serviceUnavailable
        default: .unauthorized
        }
    }

    /// The `error` of the challenge (RFC 6750 §3.1, RFC 9449 §7.1, RFC 9470 §3).
    ///
    /// `nil` if the request has no credentials, or if the status is 503.
    public var code: String? {
        switch reason {
        case .missingCredentials, .keysUnavailable, .replayGuardUnavailable: nil
        case .severalCredentials: "invalid_request"
        case .missingProof, .invalidProof, .wrongMethod, .wrongTarget, .wrongAccessToken, .staleProof, .replayedProof:
            "invalid_dpop_proof"
        case .nonceRequired: "use_dpop_nonce"
        case .insufficientScope, .insufficientUserAuthentication: reason.rawValue
        default: "invalid_token"
        }
    }

    /// The header fields of the response: `Cache-Control: no-store`, `WWW-Authenticate` or `Retry-After`, and `DPoP-Nonce`
    /// if the next proof needs a nonce.
    public var headerFields: HTTPFields {
        var fields = nonceFields
        fields[.cacheControl] = "no-store"
        if status == .serviceUnavailable {
            fields[.retryAfter] = "1"
        } else {
            fields[.wwwAuthenticate] = challenges
        }
        return fields
    }

    /// The nonce, and `no-store`: a nonce expires soon, so caches must not store it (RFC 9449 §8.2).
    var nonceFields: HTTPFields {
        guard let nonce, let name = HTTPField.Name("DPoP-Nonce") else { return [:] }
        return [name: nonce, .cacheControl: "no-store"]
    }

    /// One challenge for each accepted scheme. Only the challenge of the used scheme has an error (RFC 9449 §7.2).
    private var challenges: String {
        // RFC 6750 §3.1 defines the error for several credentials, so it belongs to Bearer. The same holds for the error
        // that DPoP is not accepted: there is no DPoP challenge then.
        let isBearer = schemes.used == .bearer || reason == .severalCredentials || reason == .dpopNotOffered
        var challenges = [challenge("Bearer", reportsError: isBearer)]
        if schemes.offersDPoP {
            challenges.append(challenge("DPoP", reportsError: schemes.used == .dpop, [#"algs="ES256""#]))
        }
        return challenges.joined(separator: ", ")
    }

    private func challenge(_ scheme: String, reportsError: Bool, _ others: [String] = []) -> String {
        var parameters: [String] = []
        if reportsError, let code {
            parameters = [#"error="\#(code)""#, #"error_description="\#(description)""#]
            if let scope, Self.isScope(scope) { parameters.append(#"scope="\#(scope)""#) }
        }
        parameters += others
        return parameters.isEmpty ? scheme : scheme + " " + parameters.joined(separator: ", ")
    }

    /// Whether a text is valid in a quoted `scope` (RFC 6750 §3): printable ASCII without quote and backslash.
    private static func isScope(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

extension VerificationError: CustomStringConvertible {
    /// A short reason. It contains no part of the token or the proof.
    public var description: String {
        switch reason {
        case .missingCredentials: "the request has no valid Authorization header"
        case .severalCredentials: "the request has more than one Authorization header"
        case .malformed: "the token is malformed"
        case .unsupportedAlgorithm: "the token's algorithm is not accepted"
        case .unknownKey: "the token's key is unknown"
        case .invalidSignature: "the token's signature is invalid"
        case .wrongType: "the token has another type"
        case .wrongIssuer: "the token has another issuer"
        case .wrongAudience: "the token is for another audience"
        case .missingClaim: "the token lacks a required claim"
        case .expired: "the token is expired"
        case .tokenTooOld: "the token is too old: refresh it"
        case .notYetValid: "the token is not valid yet"
        case .boundToken: "the token is bound to a key and needs a proof"
        case .unboundToken: "the token is not bound to a key"
        case .missingProof: "the request needs exactly one DPoP header"
        case .invalidProof: "the proof is invalid"
        case .wrongMethod: "the proof is for another method"
        case .wrongTarget: "the proof is for another URL"
        case .wrongAccessToken: "the proof is for another access token"
        case .dpopNotOffered: "this backend does not accept DPoP"
        case .wrongKey: "the proof's key is not the token's key"
        case .staleProof: "the proof's iat is too old or too new"
        case .replayedProof: "the proof was used before"
        case .nonceRequired: "the proof needs a nonce"
        case .insufficientScope: "the token lacks a scope"
        case .insufficientUserAuthentication: "the scope needs a step-up"
        case .keysUnavailable: "the service's keys are unavailable: retry later"
        case .replayGuardUnavailable: "the replay guard is unavailable: retry later"
        default: "the request is rejected"
        }
    }
}

/// The URL that a proof names, and the one that it must name: they differ if a proxy changes the path, or if a resource of
/// the verifier is not the URL that clients call.
///
/// Both are normalised and have no query. The client chose the first one, so limit how often you log it.
public struct ProofTargets: Sendable, Equatable, CustomStringConvertible {
    /// The URL of the proof; `nil` if it is not a valid URL of at most 256 bytes.
    public let claimed: String?
    /// The verifier's first resource with the path of the request; `nil` if that is not a path.
    public let expected: String?

    init(claimed: TargetURI?, expected: TargetURI?) {
        self.claimed = claimed?.absoluteString
        self.expected = expected?.absoluteString
    }

    /// Both URLs on one line.
    public var description: String { "claimed=\(claimed ?? "none") expected=\(expected ?? "none")" }
}

extension VerificationError {
    init(token error: JWSError) {
        let reason: Reason =
            switch error {
            case .malformed, .criticalExtension, .invalidClaims: .malformed
            case .unsupportedAlgorithm: .unsupportedAlgorithm
            case .wrongType: .wrongType
            case .unknownKey: .unknownKey
            case .invalidSignature: .invalidSignature
            }
        self.init(reason)
    }

    init(proof error: DPoPError) {
        let reason: Reason =
            switch error {
            case .missing, .moreThanOne: .missingProof
            case .malformed, .wrongType, .unsupportedAlgorithm, .invalidSignature, .invalidKey: .invalidProof
            case .wrongMethod: .wrongMethod
            case .wrongTarget: .wrongTarget
            case .wrongAccessToken: .wrongAccessToken
            }
        self.init(reason)
    }

    /// A copy of the error with the scheme of the request and the accepted schemes.
    func with(schemes: AuthenticationSchemes) -> VerificationError {
        var error = self
        error.schemes = schemes
        return error
    }
}
