import Foundation
import HTTPTypes
import Hummingbird
import Logging
import SessionDomain
import SessionTokens
import SessionWire

/// The last resort: every request gets an id, a date and an answer, whatever happens below.
struct ResponseEnvelopeMiddleware: RouterMiddleware {
    typealias Context = AnonymousContext

    let environment: ServiceEnvironment

    func handle(
        _ request: Request, context: AnonymousContext,
        next: (Request, AnonymousContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.requestID = environment.newID("req")
        context.logger[metadataKey: "request_id"] = .string(context.requestID)
        var response: Response
        do {
            try Self.checkHeaderSize(request.headers)
            response = try await next(request, context)
        } catch {
            response = try ErrorAnswer.make(for: error, request: request, context: context)
        }
        if !response.headers.contains("cache-control") { response.headers[.cacheControl] = "no-store" }
        response.headers.set(HeaderName.requestID, to: context.requestID)
        response.headers.set("date", to: HTTPDate.format(environment.now().date))
        response.headers.set("x-content-type-options", to: "nosniff")
        return response
    }

    private static func checkHeaderSize(_ headers: HTTPFields) throws {
        let size = headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
        guard size <= BodyLimit.headerBytes else { throw HTTPError(.requestHeaderFieldsTooLarge) }
    }
}

extension WireRefusal {
    /// The family of an error, for people who read logs.
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

/// Refusals of the management API name the status in the body.
struct ManagementErrorBody: Encodable {
    let code: ErrorCode
    let status: Int
    let message: String

    init(_ refusal: WireRefusal) {
        code = refusal.code
        status = refusal.status.code
        message = refusal.message
    }
}

/// IMF-fixdate (RFC 9110 §5.6.7).
enum HTTPDate {
    static func format(_ date: Date) -> String {
        date.formatted(
            Date.VerbatimFormatStyle(
                format:
                    "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
                locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian)))
    }
}
