public import HTTPTypes

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
