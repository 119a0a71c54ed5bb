import Hummingbird
import Logging
import SessionWire

/// What is answered when a request fails.
enum ErrorAnswer {
    static func make(for error: any Error, request: Request, context: AnonymousContext) throws -> Response {
        let refusal = WireRefusal(error)
        if refusal.status.kind == .serverError {
            context.logger.error("request failed", metadata: ["error": .string(String(describing: error))])
        } else {
            context.logger.debug("request refused", metadata: ["code": .string(refusal.code.rawValue)])
        }
        var response =
            if request.uri.path.hasPrefix("/v2/") {
                try Response.json(ManagementErrorBody(refusal), status: refusal.status)
            } else {
                try Response.json(
                    ErrorBody(
                        code: refusal.code, type: refusal.type, message: refusal.message, requestID: context.requestID),
                    status: refusal.status)
            }
        if let seconds = refusal.retryAfter { response.headers.set("retry-after", to: String(seconds)) }
        if let nonce = refusal.nonce { response.headers.set(HeaderName.dpopNonce, to: nonce) }
        return response
    }
}
