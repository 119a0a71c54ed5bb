import HTTPTypes
import Hummingbird
import Logging
import SessionDomain

/// What happens around every request, in this order: it gets an id, its trace and its line in the log begin, it is checked, and
/// its response is completed. An error of a check or of a route becomes a response, so that no request stays without one.
///
/// This is one middleware, because Hummingbird runs each one in five asynchronous functions (`Benchmarks/notes.md`).
struct RequestMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    private let environment: ServiceEnvironment
    private let accessLog: AccessLog
    private let traces: RequestTraces?
    private let dates = LatestDate()
    private let checks: [any RequestCheck]
    private let pages: ClientMiddleware?

    /// - Parameters:
    ///   - checks: Run in this order.
    ///   - pages: Applied to requests that no route of an app sees, because the path is unknown or a check fails. So pages can
    ///     read the error, and the preflight request is answered. Not to those of the management API, which has no CORS headers.
    init(
        environment: ServiceEnvironment, edge: EdgeOptions, checks: [any RequestCheck] = [],
        pages: ClientMiddleware? = nil
    ) {
        let observer = environment.observer
        self.environment = environment
        accessLog = AccessLog(options: edge, observer: observer)
        traces = observer.tracer == nil ? nil : RequestTraces(options: edge, observer: observer)
        self.checks = checks
        self.pages = pages
    }

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let (id, trail) = (environment.newID("req"), RequestTrail())
        let startedAt = environment.observer.instant()
        var context = context
        context.requestID = id
        context.logger[metadataKey: "request_id"] = .string(id)
        let identified = context
        let response = try await RequestTrail.$current.withValue(trail) {
            guard let traces else { return try await respond(to: request, identified, next) }
            return try await traces.trace(request, identified) { try await respond(to: request, $0, next) }
        }
        accessLog.note(
            request, response, context, seconds: environment.observer.seconds(since: startedAt), trail.current)
        return completed(response, to: request, requestID: id)
    }

    private func respond(
        to request: Request, _ context: ServiceRequestContext,
        _ next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let route = request.headers.contains(.origin) ? AccessLog.route(of: context) : ""
        let isUnknown = route == AccessLog.unmatched && !request.uri.path.hasPrefix("/v2/")
        // Other paths have no CORS headers: the management API, metrics, the console, and the pages of development mode.
        let pages = isUnknown || route.hasPrefix("/v1/") ? pages : nil
        do {
            for check in checks { try check.check(request, context) }
            guard let pages, isUnknown else {
                return try await next(request, context)
            }
            return try await pages.handle(request, context: context, next: next)
        } catch {
            let response = try ErrorResponse.make(for: error, request: request, context: context)
            return await pages?.respond(rejecting: request, context, with: response) ?? response
        }
    }

    /// Adds what every response has.
    ///
    /// - `Date`, `X-Content-Type-Options`, and `Cache-Control` where a route sets none. Responses contain tokens and personal
    ///   data, so the default is `no-store`.
    /// - `X-Request-Id`.
    /// - A response to a HEAD request has no body, also that of an error (RFC 9110 §9.3.2). The client reads none, so it would
    ///   take one for the start of the next response.
    private func completed(_ response: consuming Response, to request: Request, requestID: String) -> Response {
        if !response.headers.contains(.cacheControl) { response.headers[.cacheControl] = "no-store" }
        response.headers.set(.date, to: dates.text(of: environment.now()))
        response.headers.set(.xContentTypeOptions, to: "nosniff")
        response.headers.set(.requestID, to: requestID)
        return request.method == .head ? response.createHeadResponse() : response
    }
}

/// A check of every request, which needs nothing of its handling but the context.
protocol RequestCheck: Sendable {
    func check(_ request: Request, _ context: ServiceRequestContext) throws
}

/// Rejects requests whose headers are larger than `maximumBytes` with 431 (RFC 6585 §5).
struct HeaderLimit: RequestCheck {
    static let maximumBytes = 16 * 1024

    func check(_ request: Request, _ context: ServiceRequestContext) throws {
        guard Self.size(of: request.headers) <= Self.maximumBytes else {
            // A proxy passes on the headers of its client, and makes an error of 431.
            if request.uri.path == VerifyRoute.path { throw Refusal.forbidden("the headers are larger than 16 KiB") }
            throw HTTPError(.requestHeaderFieldsTooLarge)
        }
    }

    /// Bytes as in HTTP/1.1, with colon, space and line break. The request line does not count.
    private static func size(of headers: HTTPFields) -> Int {
        headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
    }
}

/// Answers 404 to every path that is not the only spelling of its route, and 400 to a query that is not the fields of a form.
///
/// The router ignores empty segments, so it would serve `//v2/…` as `/v2/…`. A proxy that blocks `/v2/` compares text.
package struct CanonicalPath: RequestCheck {
    func check(_ request: Request, _ context: ServiceRequestContext) throws {
        guard Self.isCanonical(request.uri.path) else { throw HTTPError(.notFound) }
        // The console reads the query with the same reader, and refuses it with a page.
        if request.uri.query != nil, !request.uri.path.hasPrefix("/console/") { _ = try request.query }
    }

    /// Whether a path has no empty segment, no `.` and `..`, and only characters that need no encoding (RFC 3986 §2.3).
    /// Routes and ids have no others.
    package static func isCanonical(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { bytes in
            guard bytes.first == UInt8(ascii: "/") else { return false }
            // Bytes of the segment, and how many of them are dots.
            var (length, dots) = (0, 0)
            for byte in bytes.dropFirst() {
                if byte == UInt8(ascii: "/") {
                    guard isSegment(length, dots) else { return false }
                    (length, dots) = (0, 0)
                } else {
                    guard isUnreserved(byte) else { return false }
                    length += 1
                    if byte == UInt8(ascii: ".") { dots += 1 }
                }
            }
            return isSegment(length, dots)
        }
    }

    /// Whether a segment is not empty, `.` or `..`.
    private static func isSegment(_ length: Int, _ dots: Int) -> Bool { length > 0 && (length > 2 || dots < length) }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
