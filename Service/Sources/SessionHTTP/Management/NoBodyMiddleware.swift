import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens

/// Refuses members in the body of a call that has none, so that one such as `dry_run` is never ignored.
struct NoBodyMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    /// The ends of the paths of calls with DELETE that have a body.
    private static let deletions = ["/config/scopes", "/identifiers"]
    /// Those of calls with POST that have none.
    private static let actions = ["/activate", "/keys/{key_id}/rotate"]

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        if Self.hasNone(request.method, context.endpointPath ?? "") { try await Self.refuseBody(of: request) }
        return try await next(request, context)
    }

    private static func refuseBody(of request: Request) async throws {
        do {
            guard let members = try await request.decodeIfPresent([String: JSONValue].self),
                let name = members.keys.min()
            else { return }
            throw Refusal.invalidField(MemberName.shown(name), "is not a member of this call, which has no body")
        } catch is HTTPError {
            // It is too large, or no JSON.
            throw Refusal.invalidField("body", "must be empty: this call has none")
        }
    }

    private static func hasNone(_ method: HTTPRequest.Method, _ path: String) -> Bool {
        switch method {
        case .delete: !deletions.contains(where: path.hasSuffix)
        case .post: actions.contains(where: path.hasSuffix)
        case .get, .head: true
        default: false
        }
    }
}
