import HTTPTypes
import Hummingbird
import SessionDomain

/// Refuses query parameters that a call of the management API does not know, so that a misspelled filter never returns
/// everything, and those that are repeated, because only one of their values would be used.
struct QueryMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    private static let list: Set<String> = ["limit", "offset", "cursor"]
    private static let events = list.union(["before", "user_id", "actor_id", "name", "from", "until"])

    /// The parameters of calls with GET, by the end of their path, and those with DELETE.
    private static let reads: [String: Set<String>] = [
        "/{app_id}/users": list.union(["status", "external_id", "identifier_type", "identifier_value"]),
        "/users/{user_id}/sessions": list.union(["device_id", "device_type", "country_code"]),
        "/webhooks/{webhook_id}/deliveries": list, "/{app_id}/events": events,
        "/v2/session/events": events,
    ]
    private static let deletions: [String: Set<String>] = [
        "/config/scopes": ["scope"], "/{app_id}/limits": ["address", "identifier_type", "identifier_value"],
        "/{app_id}/blocks": ["address", "identifier_type", "identifier_value"],
    ]

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let parameters = try request.query.all.map(\.name)
        let names = Set(parameters)
        if !names.isEmpty {
            let known = Self.parameters(of: request.method, context.endpointPath ?? "")
            if let unknown = names.subtracting(known).min() {
                throw Refusal.invalidField(
                    MemberName.shown(unknown), "is not a parameter of this call" + Self.hint(at: unknown, among: known))
            }
            if names.count < parameters.count {
                let repeated = names.sorted().first { name in parameters.count { $0 == name } > 1 }
                throw Refusal.invalidField(repeated ?? "", "must not be repeated")
            }
        }
        return try await next(request, context)
    }

    /// The parameter that was meant, or else all of the call.
    private static func hint(at unknown: String, among known: Set<String>) -> String {
        guard !known.isEmpty else { return ", which has none" }
        if let name = SimilarName.of(unknown, in: known) { return "; did you mean \(name)?" }
        return "; it has " + known.sorted().joined(separator: ", ")
    }

    private static func parameters(of method: HTTPRequest.Method, _ path: String) -> Set<String> {
        let calls =
            switch method {
            case .get, .head: reads
            case .delete: deletions
            default: [String: Set<String>]()
            }
        return calls.first { path.hasSuffix($0.key) }?.value ?? []
    }
}
