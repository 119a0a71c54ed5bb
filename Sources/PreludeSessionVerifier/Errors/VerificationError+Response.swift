public import HTTPTypes

extension VerificationError {
    /// The status of the answer: 401, or 403 for ``Reason/insufficientScope``, 400 for ``Reason/severalCredentials``
    /// (RFC 6750 §3.1), and 503 when it is not the sender's fault.
    public var status: HTTPResponse.Status {
        switch reason {
        case .severalCredentials: .badRequest
        case .insufficientScope: .forbidden
        case .keysUnavailable, .replayGuardUnavailable: .serviceUnavailable
        default: .unauthorized
        }
    }

    /// The `error` of the challenge (RFC 6750 §3.1, RFC 9449 §7.1, RFC 9470 §3); `nil` when there is nothing to blame.
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

    /// The header fields of the answer: `WWW-Authenticate`, a nonce, `Retry-After`, `Cache-Control: no-store`.
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

    /// A nonce is for one client and soon over, so no cache may keep it (RFC 9449 §8.2).
    var nonceFields: HTTPFields {
        guard let nonce, let name = HTTPField.Name("DPoP-Nonce") else { return [:] }
        return [name: nonce, .cacheControl: "no-store"]
    }

    /// One challenge for each scheme that is offered; only that of the scheme in use says what was wrong (RFC 9449 §7.2).
    private var challenges: String {
        // Of several credentials none was looked at, so the error stands where it was defined (RFC 6750 §3.1); and who
        // uses a scheme that is not offered is told so under the one that is.
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

    /// Whether a text can stand between quotes as a scope (RFC 6750 §3): no quote, backslash or control character.
    private static func isScope(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

extension VerificationError: CustomStringConvertible {
    /// One sentence without anything of the token.
    public var description: String {
        switch reason {
        case .missingCredentials: "no credentials"
        case .severalCredentials: "more than one Authorization"
        case .malformed: "the token is malformed"
        case .unsupportedAlgorithm: "the token's algorithm is not accepted"
        case .unknownKey: "the token's key is unknown"
        case .invalidSignature: "the token's signature is wrong"
        case .wrongType: "the token is of another type"
        case .wrongIssuer: "the token is of another issuer"
        case .wrongAudience: "the token is for another audience"
        case .missingClaim: "the token lacks a required claim"
        case .expired: "the token is expired"
        case .tokenTooOld: "a younger token is needed"
        case .notYetValid: "the token is not valid yet"
        case .boundToken: "the token is bound to a key and needs a proof"
        case .unboundToken: "the token is not bound to a key"
        case .missingProof: "exactly one proof is needed"
        case .invalidProof: "the proof is invalid"
        case .wrongMethod: "the proof is for another method"
        case .wrongTarget: "the proof is for another URL"
        case .wrongAccessToken: "the proof is for another access token"
        case .dpopNotOffered: "this backend takes no DPoP"
        case .wrongKey: "the proof is by another key than the token's"
        case .staleProof: "the proof is too old or too new"
        case .replayedProof: "the proof was used before"
        case .nonceRequired: "the proof needs a nonce"
        case .insufficientScope: "the token lacks a scope"
        case .insufficientUserAuthentication: "the scope needs a step-up"
        case .keysUnavailable: "the keys to verify with cannot be had"
        case .replayGuardUnavailable: "proofs cannot be remembered"
        default: "refused"
        }
    }
}
