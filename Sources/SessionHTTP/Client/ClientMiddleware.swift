import Hummingbird
import SessionDomain

/// Sets the client of a request, the app that its host names, the context of its events, and the languages that it asks
/// for. Applies the rules of origins to requests of browsers (`CrossOriginCall`).
@available(service, *)
struct ClientMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let options: EdgeOptions
    let directory: AppDirectory

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        var client = try Client(
            headers: request.headers, authority: request.head.authority, peerAddress: context.peerAddress,
            options: options)
        let app = try await directory.app(host: client.host)
        if request.headers.contains(.cookie) { client.addDeviceID(cookie: AppCookies(app: app).deviceID(in: request)) }
        var context = context
        context.results = MiddlewareResults(client: client, app: app)
        RequestTrail.current?.note(app: app.settings.id)
        let call = client.isBrowser ? CrossOriginCall(request: request, app: app) : nil
        let (events, known) = (EventContext(client, requestID: context.requestID), context)
        return try await EventContext.$current.withValue(events) {
            try await RequestedLanguages.$current.withValue(client.facts.locales) {
                guard let call else { return try await next(request, known) }
                return try await call.respond(known, next)
            }
        }
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
