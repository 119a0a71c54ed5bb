import Hummingbird

/// Answers 404 to every path that is not the only spelling of its route.
///
/// The router ignores empty segments, so it would serve `//v2/…` as `/v2/…`. A proxy that blocks `/v2/` compares text.
@available(service, *)
struct PathMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        guard Self.isCanonical(request.uri.path) else { throw HTTPError(.notFound) }
        return try await next(request, context)
    }

    /// Whether a path has no empty segment, no `.` and `..`, and only characters that need no encoding (RFC 3986 §2.3).
    /// Routes and ids have no others.
    static func isCanonical(_ path: String) -> Bool {
        guard path.hasPrefix("/") else { return false }
        return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy { segment in
            !segment.isEmpty && segment != "." && segment != ".." && segment.utf8.allSatisfy(isUnreserved)
        }
    }

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
