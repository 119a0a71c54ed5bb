import Hummingbird
import SessionDomain

/// Sets the client of a request, the app that its host names, the context of its events, and the languages that it asks
/// for. Applies the rules of origins to requests of browsers (`CrossOriginCall`).
struct ClientMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let options: EdgeOptions
    let directory: AppDirectory
    let now: @Sendable () -> Timestamp

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let client = try client(of: request, context)
        let app = try await app(of: request, host: client.host)
        let identified = identified(request, context, client: client, app: app)
        return try await EventContext.$current.withValue(identified.events) {
            try await RequestedLanguages.$current.withValue(identified.languages) {
                guard let call = identified.call else {
                    try requireNotBlocked(client, app, request)
                    return try await next(request, identified.context)
                }
                return try await call.respond(identified.context) { request, context in
                    try requireNotBlocked(client, app, request)
                    return try await next(request, context)
                }
            }
        }
    }

    /// Public keys are for backends, which no block means.
    private func requireNotBlocked(_ client: Client, _ app: AppRuntime, _ request: Request) throws {
        guard !app.settings.blocks.isEmpty, !KeySetRoutes.paths.contains(request.uri.path) else { return }
        try app.settings.requireNotBlocked(address: client.source.ip, now: now())
    }

    /// The app of a host. Public keys are also served while the store is away, so that backends can still verify tokens.
    @inline(never) private func app(of request: Request, host: String) async throws -> AppRuntime {
        do {
            return try await directory.app(host: host)
        } catch let error as StoreError {
            guard KeySetRoutes.paths.contains(request.uri.path), let known = directory.lastKnownApp(host: host) else {
                throw error
            }
            return known
        }
    }

    /// What is known of a request when its client and its app are.
    private struct Identified: Sendable {
        let context: ServiceRequestContext
        let events: EventContext
        let languages: [String]
        /// `nil`: no call of a browser.
        let call: CrossOriginCall?
    }

    /// Not inlined, as the next function: `handle` is asynchronous and keeps its variables on the heap.
    @inline(never) private func client(of request: Request, _ context: ServiceRequestContext) throws -> Client {
        try Client(
            headers: request.headers, authority: request.head.authority, peerAddress: context.peerAddress,
            options: options)
    }

    @inline(never) private func identified(
        _ request: Request, _ context: ServiceRequestContext, client: Client, app: AppRuntime
    ) -> Identified {
        var (client, context) = (client, context)
        if request.headers.contains(.cookie) { client.addDeviceID(cookie: AppCookies(app: app).deviceID(in: request)) }
        context.results = MiddlewareResults(client: client, app: app)
        RequestTrail.current?.note(app: app.settings.id)
        return Identified(
            context: context, events: EventContext(client, requestID: context.requestID),
            languages: client.facts.locales,
            call: client.isBrowser ? CrossOriginCall(request: request, app: app) : nil)
    }

    /// Lets pages of the app read the response to a request that no route has seen, such as one with an invalid header.
    func respond(
        rejecting request: Request, _ context: ServiceRequestContext, with response: Response
    ) async -> Response {
        guard
            let host = try? Client.host(
                request.headers, authority: request.head.authority, peerAddress: context.peerAddress, options: options),
            let app = try? await directory.app(host: host)
        else { return response }
        return CrossOriginCall(request: request, app: app).respond(rejecting: response)
    }
}
