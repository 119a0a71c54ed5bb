import Hummingbird
import Logging
import SessionDomain
import SessionWire

/// Turns errors into responses. The frontend API and the management API have different error bodies.
package enum ErrorResponse {
    /// Logs an error of the service, notes the code for the line of the request, and builds its response.
    static func make(for error: any Error, request: Request, context: ServiceRequestContext) throws -> Response {
        try make(report(error, context: context), request: request, context: context)
    }

    /// Logs an error of the service, and notes the code for the line of the request.
    package static func report(_ error: any Error, context: ServiceRequestContext) -> WireRefusal {
        let refusal = WireRefusal(error)
        if error is StoreError {
            // The store's own line is at most one per second, whatever the number of calls.
            context.logger.debug("request failed", metadata: ["error": .string(String(describing: error))])
        } else if refusal.status.kind == .serverError {
            context.logger.error("request failed", metadata: ["error": .string(String(describing: error))])
        }
        RequestTrail.current?.note(code: refusal.code.rawValue, refusal: RefusalReason(of: error))
        return refusal
    }

    /// Builds the response, with `Retry-After` and `DPoP-Nonce` where they apply.
    static func make(_ refusal: WireRefusal, request: Request, context: ServiceRequestContext) throws -> Response {
        var response =
            if request.uri.path.hasPrefix("/v2/") {
                try Response.json(ManagementErrorBody(refusal, requestID: context.requestID), status: refusal.status)
            } else {
                try Response.json(
                    ErrorBody(
                        code: refusal.code, type: refusal.type, message: refusal.message, requestID: context.requestID,
                        field: refusal.field, needsNewCode: refusal.needsNewCode ? true : nil,
                        expectedTarget: refusal.expectedTarget),
                    status: refusal.status)
            }
        if let seconds = refusal.retryAfter { response.headers.set(.retryAfter, to: String(seconds)) }
        if let nonce = refusal.nonce { response.headers.set(.dpopNonce, to: nonce) }
        return response
    }
}

extension WireRefusal {
    /// The group of the error, for people who read logs.
    var type: String {
        switch status.code {
        case 401: "authentication_error"
        case 403: "permission_error"
        case 429: "rate_limit_error"
        case 500...: "internal_error"
        default: "invalid_request_error"
        }
    }
}

/// The body of error responses of the management API. It repeats the status.
private struct ManagementErrorBody: Encodable {
    let code: ErrorCode
    let status: Int
    let message: String
    let requestID: String?
    /// The member of the request that the error is about.
    let field: String?

    private enum CodingKeys: String, CodingKey {
        case code, status, message, field
        case requestID = "request_id"
    }

    init(_ refusal: WireRefusal, requestID: String?) {
        code = refusal.code
        status = refusal.status.code
        message = refusal.message
        self.requestID = requestID
        field = refusal.field
    }
}
