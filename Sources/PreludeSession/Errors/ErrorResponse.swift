internal import Foundation
internal import SessionWire

/// An error response of the server, before it becomes an error of the SDK. Never leaves the SDK.
struct ErrorResponse: Error {
    let status: Int
    let code: ErrorCode
    let details: PreludeSessionError.Details
    /// Whether the body is not the service's, but that of a proxy or another server on the way.
    let isForeign: Bool

    /// The `htu` that the proof of the request must have, if the server says so.
    let expectedTarget: String?
    /// The host that was called; `nil` if it is not known.
    let host: String?

    /// Reads a response without success. A body that is not an `ErrorBody` gets the code `http_<status>`; its text is never
    /// shown. A long code or message is cut.
    ///
    /// - Parameters:
    ///   - path: The call that was answered.
    ///   - host: The host that was called.
    ///   - now: When the response arrived, by the device's clock.
    init(_ response: APIResponse, to path: FrontendPath? = nil, at host: String? = nil, now: Date) {
        let body = try? JSONDecoder().decode(ErrorBody.self, from: response.body)
        status = response.status
        isForeign = body == nil
        code = ErrorCode(rawValue: body?.code.rawValue.cut(to: 64) ?? "http_\(response.status)")
        let message = body?.message ?? "the response with status \(response.status) is not from the session service"
        // A login with a code that has ended. The other calls with this error code have no login.
        let hasLoginEnded = code == .invalidVerificationToken && (path == .otpCheck || path == .otpRetry)
        details = PreludeSessionError.Details(
            message.cut(to: 300), code: PreludeSessionErrorCode(rawValue: code.rawValue),
            field: body?.field.flatMap(Self.plainWord), needsNewCode: body?.needsNewCode ?? hasLoginEnded,
            requestID: (body?.requestID).flatMap(Self.plainWord) ?? response.requestID,
            retryAfter: response.retryAfter(now: now).map(TimeInterval.init))
        expectedTarget = body?.expectedTarget
        self.host = host
    }

    /// Whether a gateway did not reach the service, or lost its response.
    var isFromGateway: Bool { isForeign && GatewayError.statuses.contains(status) }

    /// The error of the SDK for this response: the one table from codes to cases.
    var error: PreludeSessionError {
        if isFromGateway { return .network(underlying: GatewayError(status: status, host: host, details: details)) }
        if isForeign, status == 429 { return .rateLimited(details) }
        switch code {
        case .invalidPassword: return .invalidPassword(details)
        case .badCheckCode: return .invalidOTPCode(details)
        case .unauthorized, .missingDPoPProof, .dpopKeyMismatch, .invalidDPoPProof, .useDPoPNonce:
            return .unauthorized(details)
        case .missingChallengeToken: return .missingChallengeToken(details)
        case .expiredChallengeToken: return .expiredChallengeToken(details)
        case .invalidChallengeToken, .tokenMismatch, .stepNotCompleted, .stepNotFound, .stepBypassed:
            return .invalidChallengeToken(details)
        case .tokenReused: return .tokenReused(details)
        case .insufficientScope: return .insufficientScope(details)
        case .notFound: return .notFound(details)
        case .conflict, .identifierAlreadyExists: return .conflict(details)
        case .rateLimited, "too_many_requests": return .rateLimited(details)
        case .internal, "internal_server_error": return .internalServerError(details)
        case _ where Self.badRequestCodes.contains(code.rawValue): return .badRequest(details)
        case _ where Self.forbiddenCodes.contains(code.rawValue): return .forbidden(details)
        default:
            // The case has the code.
            var details = details
            details.code = nil
            return .generic(code: code.rawValue, message: details)
        }
    }

    /// Returns a code, a field or an id of the server; `nil` unless it has 1 to 64 characters from `A-Z a-z 0-9 _ - .`, because
    /// it becomes a part of log lines.
    static func plainWord(_ word: String) -> String? {
        let isPlain =
            (1...64).contains(word.utf8.count)
            && word.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-.".unicodeScalars.contains($0))
            }
        return isPlain ? word : nil
    }

    private static let badRequestCodes: Set<String> = [
        "bad_request", "invalid_identifier", "invalid_metadata", "invalid_pagination_limit",
        "invalid_pagination_offset", "invalid_redirect_uri", "invalid_verification_token", "password_not_set",
        "no_login_config", "passkey_registration_failed", "oauth_provider_not_configured", "oauth_provider_disabled",
        "email_domain_not_verified",
        "insufficient_balance",
    ]

    private static let forbiddenCodes: Set<String> = [
        "forbidden", "auth_blocked", "scope_not_allowed", "not_configured", "direct_scope_identifier_mismatch",
        "inactive_user", "suspended_account", "invalid_api_key", "email_verification_not_allowed",
        "invalid_verify_configuration", "passkey_not_configured", "passkey_step_unavailable",
        "passkey_authenticator_blocked",
    ]
}

extension String {
    /// The first scalars of the text. One `Character` may consist of any number of them.
    fileprivate func cut(to count: Int) -> String { String(unicodeScalars.prefix(count)) }
}

/// A gateway in front of the service did not get a response of it (RFC 9110 §15.6.3–5).
struct GatewayError: Error, CustomNSError {
    let status: Int
    let host: String?
    let details: PreludeSessionError.Details

    static let statuses: Set<Int> = [502, 503, 504]

    var errorCode: Int { status }

    /// Host, cause and what to check.
    var summary: String {
        "\(host ?? "The service") did not answer: the gateway in front of it returned status \(status). Check that the "
            + "service runs and that the gateway reaches it; a session is kept."
    }
}

/// What an error response means for a session and for a challenge.
extension ErrorResponse {
    /// Codes about a challenge. With any status they mean nothing for the session.
    private static let challengeCodes: Set<ErrorCode> = [
        .missingChallengeToken, .invalidChallengeToken, .expiredChallengeToken, .tokenMismatch, .tokenReused,
        .stepNotCompleted, .stepNotFound, .stepBypassed,
    ]

    /// Codes about the refresh itself, with or without a challenge.
    private static let refreshCodes: Set<ErrorCode> = [
        .unauthorized, .missingDPoPProof, .dpopKeyMismatch, .invalidDPoPProof, .useDPoPNonce, .rateLimited,
        "too_many_requests", .suspendedAccount, .inactiveUser,
    ]

    /// Whether the challenge cannot continue. It must be dropped, or every refresh would be rejected because of it.
    var endsChallenge: Bool { Self.challengeCodes.contains(code) }

    /// Whether a refresh with a challenge was rejected because of the challenge: any 4xx of the service itself whose code
    /// is not clearly about the session.
    var rejectsChallenge: Bool {
        guard !Self.refreshCodes.contains(code) else { return false }
        return endsChallenge || ((400..<500).contains(status) && !code.rawValue.hasPrefix("http_"))
    }

    /// Whether the proof was rejected, for example because it was used before.
    var isInvalidProof: Bool { status == 400 && code == .invalidDPoPProof }

    /// Whether the server asks for a proof with its nonce.
    var demandsNonce: Bool { code == .useDPoPNonce }

    /// Whether a rejected refresh ended the session. Only the service's own codes do; a proxy's 401 does not.
    var endsSession: Bool {
        isOfSuspendedAccount || status == 401 && (code == .unauthorized || code == .dpopKeyMismatch)
    }

    /// The service says it only to who has proven the session, and has ended all sessions of the user before.
    var isOfSuspendedAccount: Bool { status == 403 && (code == .suspendedAccount || code == .inactiveUser) }
}
