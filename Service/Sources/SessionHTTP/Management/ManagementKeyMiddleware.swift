import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens

/// Requires a management key that is valid for the app in the path, or for all apps if the path names none.
///
/// A wrong key and an unknown app get the same error, so that a key does not reveal which apps exist. A key with the role
/// `read` may only read.
struct ManagementKeyMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let keys: ManagementKeys
    let apps: AppManagement
    let edge: EdgeOptions

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let named = context.parameters.get("app_id")
        let source = SourceAddress(headers: request.headers, peerAddress: context.peerAddress, options: edge)
        let key = try await keys.authenticate(request.bearerToken, app: named, source: source)
        if let named {
            // The app must exist. Otherwise a later app with this id would inherit what is created here.
            guard let id = AppID(named) else { throw Refusal.notFound("there is no such app") }
            _ = try await apps.app(id)
            RequestTrail.current?.note(app: id)
        }
        guard key.role == .write || request.method == .get || request.method == .head else {
            throw Refusal.forbidden("the management key has the role read; this call needs the role write")
        }
        var context = context
        context.results.managementKey = key
        let events = EventContext.current.acting(as: key.actor)
        let authenticated = context
        return try await EventContext.$current.withValue(events) { try await next(request, authenticated) }
    }
}

/// Sets the context of the events of a management call: address, user agent and request id. `ManagementKeyMiddleware` adds
/// the key.
struct OperatorContextMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let options: EdgeOptions

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let events = EventContext(
            ip: Client.address(request.headers, peerAddress: context.peerAddress, options: options),
            userAgent: request.headers.first(.userAgent), requestID: context.requestID)
        return try await EventContext.$current.withValue(events) { try await next(request, context) }
    }
}

/// Refuses query parameters that a call of operators or of their proxies does not know, so that a misspelled filter never
/// returns everything, and a misspelled scope is never ignored. It also refuses those that are repeated, because only one
/// of their values would be used.
struct QueryMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    private static let list: Set<String> = ["limit", "offset", "cursor"]
    private static let events = list.union(["before", "user_id", "actor_id", "name", "from", "until"])

    /// The parameters of calls with GET, by the end of their path, and those with DELETE.
    private static let reads: [String: Set<String>] = [
        "/{app_id}/users": list.union(["status", "external_id", "identifier_type", "identifier_value"]),
        "/users/{user_id}/sessions": list.union(["device_id", "device_type", "country_code"]),
        "/webhooks/{webhook_id}/deliveries": list, "/{app_id}/events": events,
        "/v2/session/events": events, VerifyRoute.path: ["app", "scope"],
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
