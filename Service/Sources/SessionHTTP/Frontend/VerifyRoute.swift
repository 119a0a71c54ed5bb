import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

/// Forward authentication: a proxy asks for each request that it has received whether its access token is valid, as `auth_request`
/// of nginx, `forward_auth` of Caddy and `ForwardAuth` of Traefik do.
///
/// The token is checked as in a call of the app: signature, times, binding, and that its session is live. The proof of a bound
/// token must be for the original request (RFC 9449 §4.3).
enum VerifyRoute {
    static let path = "/v1/session/verify"

    /// The answer for a valid token. A proxy passes the headers on, so each is there for every token: one that the client has
    /// sent must not stay in its place.
    @Sendable static func show(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        let caller = try context.caller
        let required = try request.query["scope"]?.split { $0 == " " || $0 == "," }.map(String.init) ?? []
        if let missing = required.first(where: { !caller.claims.has(scope: $0) }) {
            throw Refusal.insufficientScope(missing)
        }
        var response = Response(status: .ok)
        response.headers[.cacheControl] = "no-store"
        response.headers.set(.userID, to: caller.user.id)
        response.headers.set(.sessionID, to: caller.session.id)
        response.headers.set(.scopes, to: caller.claims.scope ?? "")
        return response
    }
}

/// The method and the URL of a request that a proxy has received.
struct OriginalRequest: Sendable, Equatable {
    let method: String
    let target: TargetURI

    /// Reads `X-Forwarded-Method`, `-Proto`, `-Host` and `-Uri`, and no other headers: a proxy that sets one family of headers
    /// passes on those of another one, which its client could have sent.
    ///
    /// - Throws: `Refusal.invalidField` that names the header.
    init(headers: HTTPFields) throws(Refusal) {
        method = try Self.value(.forwardedMethod, headers)
        let (scheme, host) = (try Self.value(.forwardedProto, headers), try Self.value(.forwardedHost, headers))
        let uri = try Self.value(.forwardedURI, headers)
        guard uri.hasPrefix("/"), !host.contains(where: { "/?#".contains($0) }),
            let target = TargetURI("\(scheme)://\(host)\(uri)")
        else {
            throw .invalidField(
                "X-Forwarded-Uri", "and X-Forwarded-Proto and -Host must be the URL that the client called")
        }
        self.target = target
    }

    private static func value(_ name: HTTPField.Name, _ headers: HTTPFields) throws(Refusal) -> String {
        let values = headers.all(name)
        guard values.count == 1, !values[0].isEmpty else {
            throw .invalidField(
                name.rawName, "is required, once: configure the proxy to send the method and the URL of its client")
        }
        return values[0]
    }
}

/// Finds the app and the original request of a call of a proxy. Only a trusted proxy may ask: it says what its client called.
struct ForwardedCallMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let options: EdgeOptions
    let directory: AppDirectory

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let isLocal = options.exemptsLoopback && IPNetwork.isLoopback(host: context.peerAddress)
        guard isLocal || options.isTrusted(context.peerAddress) else {
            throw Refusal.forbidden("only a trusted proxy may ask: add its address to trustedProxies")
        }
        let app = try await app(of: request)
        RequestTrail.current?.note(app: app.settings.id)
        var context = context
        context.results = MiddlewareResults(app: app)
        // A bearer token needs no original request.
        if request.headers.contains(.dpop) {
            context.results.original = try OriginalRequest(headers: request.headers)
        }
        var response = try await next(request, context)
        // A proxy knows 401 and 403 only. RFC 9449 §7.1 has 401 for a resource server, too.
        if response.status == .badRequest, response.headers[.wwwAuthenticate] != nil { response.status = .unauthorized }
        return response
    }

    /// The app that the query names, or the one of the host.
    private func app(of request: Request) async throws -> AppRuntime {
        guard let name = try request.query["app"] else {
            return try await directory.app(host: request.head.authority ?? "")
        }
        guard let id = AppID(name) else {
            throw Refusal.invalidField("app", "must be an app id: 7 lower-case letters or digits")
        }
        return try await directory.app(id)
    }
}
