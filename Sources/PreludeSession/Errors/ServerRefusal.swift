internal import Foundation
internal import SessionWire

/// A refusal as the server sent it, before it becomes an error of the SDK.
struct ServerRefusal: Error {
    let status: Int
    let code: ErrorCode
    let message: String
    let requestID: String?
    let retryAfter: Int?
    /// Whether these are not the service's words, but those of something on the way, such as a proxy's page.
    let isForeign: Bool

    /// Reads the body of an answer that is no success; one that cannot be read is `http_<status>`, never its raw text.
    ///
    /// - Parameter now: When the answer came, by the device's clock.
    init(_ answer: TransportAnswer, now: Date) {
        let body = try? JSONDecoder().decode(ErrorBody.self, from: answer.body)
        status = answer.status
        isForeign = body == nil
        code = body?.code ?? ErrorCode(rawValue: "http_\(answer.status)")
        message = String((body?.message ?? "the answer with status \(answer.status) is not the service's").prefix(300))
        requestID = (body?.requestID ?? answer.header(HeaderName.requestID)).flatMap(TransportAnswer.plain)
        retryAfter = RetryAfter.seconds(in: answer, now: now)
    }

    /// Whether the service was not reached, or what it said was lost behind a gateway.
    var isGatewayFailure: Bool { isForeign && GatewayFailure.statuses.contains(status) }

    /// The one table from codes to errors.
    var error: PreludeSessionError {
        if isGatewayFailure {
            let failure = GatewayFailure(status: status, requestID: requestID, retryAfter: retryAfter)
            return .network(underlying: failure)
        }
        let text = message + ErrorTrailer.text(requestID: requestID, retryAfter: retryAfter)
        if isForeign, status == 429 { return .rateLimited(text) }
        switch code {
        case .invalidPassword: return .invalidPassword(text)
        case .badCheckCode: return .invalidOTPCode(text)
        case .unauthorized, .missingDPoPProof, .dpopKeyMismatch, .invalidDPoPProof, .useDPoPNonce:
            return .unauthorized(text)
        case .missingChallengeToken: return .missingChallengeToken(text)
        case .expiredChallengeToken: return .expiredChallengeToken(text)
        case .invalidChallengeToken, .tokenMismatch, .stepNotCompleted, .stepNotFound, .stepBypassed:
            return .invalidChallengeToken(text)
        case .tokenReused: return .tokenReused(text)
        case .insufficientScope: return .insufficientScope(text)
        case .notFound: return .notFound(text)
        case .conflict, .identifierAlreadyExists: return .conflict(text)
        case .rateLimited, "too_many_requests": return .rateLimited(text)
        case .internal, "internal_server_error": return .internalServerError(text)
        case _ where Self.badRequests.contains(code.rawValue): return .badRequest(text)
        case _ where Self.forbiddens.contains(code.rawValue): return .forbidden(text)
        default: return .generic(code: code.rawValue, message: text)
        }
    }

    private static let badRequests: Set<String> = [
        "bad_request", "invalid_identifier", "invalid_metadata", "invalid_pagination_limit",
        "invalid_pagination_offset", "invalid_redirect_uri", "invalid_verification_token", "password_not_set",
        "no_login_config", "oauth_provider_not_configured", "oauth_provider_disabled", "email_domain_not_verified",
        "insufficient_balance",
    ]

    private static let forbiddens: Set<String> = [
        "forbidden", "auth_blocked", "scope_not_allowed", "not_configured", "direct_scope_identifier_mismatch",
        "inactive_user", "suspended_account", "invalid_api_key", "email_verification_not_allowed",
        "invalid_verify_configuration",
    ]
}

extension TransportAnswer {
    /// The server's name for the request, by the header.
    var requestID: String? { header(HeaderName.requestID).flatMap(Self.plain) }

    /// An id goes into a text that is read back, so it must be a plain word.
    fileprivate static func plain(_ id: String) -> String? {
        guard id.utf8.count <= 64,
            id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") })
        else { return nil }
        return id
    }
}
