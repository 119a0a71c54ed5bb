import Hummingbird
import SessionDomain

/// Finds out who calls and which app they mean.
struct ClientMiddleware: RouterMiddleware {
    typealias Context = AnonymousContext

    let options: EdgeOptions
    let directory: AppDirectory

    func handle(
        _ request: Request, context: AnonymousContext,
        next: (Request, AnonymousContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.client = try Client(
            headers: request.headers, authority: request.head.authority, peerAddress: context.peerAddress,
            options: options)
        context.app = try await directory.app(host: context.client.host)
        return try await next(request, context)
    }
}
