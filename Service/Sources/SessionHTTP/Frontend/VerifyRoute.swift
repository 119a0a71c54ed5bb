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
        let required = try requiredScopes(request)
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

    /// A parameter that names no scope is refused: it would let every signed-in user pass.
    static func requiredScopes(_ request: Request) throws(Refusal) -> [String] {
        guard let text = try request.query["scope"] else { return [] }
        let scopes = text.split { $0 == " " || $0 == "," }.map(String.init)
        guard !scopes.isEmpty else { throw .invalidField("scope", "must name at least one scope") }
        return scopes
    }
}

/// The method and the URL of a request that a proxy has received.
struct OriginalRequest: Sendable, Equatable {
    let method: String
    /// The URL. Empty if the client called none, such as `*` or one with bytes that no URL has: no proof is for it.
    let targets: [TargetURI]

    /// Reads `X-Forwarded-Method`, `-Proto`, `-Host` and `-Uri`, and no other headers: a proxy that sets one family of headers
    /// passes on those of another one, which its client could have sent.
    ///
    /// - Throws: `Refusal.invalidField` that names the header, if the proxy has left one out or sent an impossible one. A
    ///   client chooses only the target, so a wrong one is no error of the proxy.
    init(headers: HTTPFields) throws(Refusal) {
        method = try Self.value(.forwardedMethod, headers)
        guard HTTPRequest.Method(method) != nil else {
            throw .invalidField(HTTPField.Name.forwardedMethod.rawName, "must be the method that the client called")
        }
        let scheme = try Self.scheme(headers)
        let origin = try Self.origin(scheme: scheme, headers)
        let uri = try Self.value(.forwardedURI, headers)
        // A fragment is no part of a target (RFC 9112 §3.2).
        let isTarget = uri.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
        targets = isTarget ? TargetURI(origin: origin, path: uri).map { [$0] } ?? [] : []
    }

    /// Proxies name the scheme of a WebSocket `ws` or `wss`. The client has made its proof for http or https.
    private static func scheme(_ headers: HTTPFields) throws(Refusal) -> String {
        switch try value(.forwardedProto, headers).lowercased() {
        case "http", "ws": return "http"
        case "https", "wss": return "https"
        default: throw .invalidField(HTTPField.Name.forwardedProto.rawName, "must be http or https")
        }
    }

    private static func origin(scheme: String, _ headers: HTTPFields) throws(Refusal) -> String {
        let host = try value(.forwardedHost, headers)
        // With any other character, the host could contain a path, a query or a user.
        guard host.utf8.allSatisfy(isOfHost), let target = TargetURI("\(scheme)://\(host)") else {
            throw .invalidField(
                HTTPField.Name.forwardedHost.rawName,
                "must be the host that the client called, with a port if it has one: configure the proxy to send it")
        }
        return target.origin
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
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
    let now: @Sendable () -> Timestamp

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let isLocal = options.exemptsLoopback && IPNetwork.isLoopback(host: context.peerAddress)
        guard isLocal || options.isTrusted(context.peerAddress) else {
            throw Refusal.forbidden("only a trusted proxy may ask: add its address to trustedProxies")
        }
        _ = try VerifyRoute.requiredScopes(request)
        let app = try await app(of: request)
        RequestTrail.current?.note(app: app.settings.id)
        try requireNotBlocked(request, context, app)
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

    /// Proxies make an error of 429, so a client whose address is blocked gets 403.
    private func requireNotBlocked(_ request: Request, _ context: ServiceRequestContext, _ app: AppRuntime) throws {
        let client = Client.address(request.headers, peerAddress: context.peerAddress, options: options)
        guard app.settings.isBlocked(address: client, now: now()) else { return }
        throw Refusal.forbidden("calls from this address are blocked for a time")
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
