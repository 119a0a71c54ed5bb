import HTTPTypes
import Hummingbird
import SessionDomain

/// Completes every response.
///
/// - `Date`, `X-Content-Type-Options`, and `Cache-Control` where a route sets none. Responses contain tokens and personal
///   data, so the default is `no-store`.
/// - `X-Request-Id`.
/// - A response to a HEAD request has no body, also that of an error (RFC 9110 §9.3.2). The client reads none, so it would
///   take one for the start of the next response.
struct ResponseCompletion: Sendable {
    let environment: ServiceEnvironment
    private let dates = LatestDate()

    init(environment: ServiceEnvironment) { self.environment = environment }

    func complete(_ response: consuming Response, to request: Request, requestID: String) -> Response {
        if !response.headers.contains(.cacheControl) { response.headers[.cacheControl] = "no-store" }
        response.headers.set(.date, to: dates.text(of: environment.now()))
        response.headers.set(.xContentTypeOptions, to: "nosniff")
        response.headers.set(.requestID, to: requestID)
        return request.method == .head ? response.createHeadResponse() : response
    }
}
