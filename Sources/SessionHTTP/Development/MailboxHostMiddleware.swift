import Hummingbird
import SessionDomain
import SessionTokens

/// Shows the mailbox under names of this machine and configured hosts only.
///
/// Any page may get its own name resolved to loopback (DNS rebinding), and is of the same origin then. What it cannot
/// change is the name in `Host`.
struct MailboxHostMiddleware: RouterMiddleware {
    typealias Context = AnonymousContext

    let directory: AppDirectory

    func handle(
        _ request: Request, context: AnonymousContext,
        next: (Request, AnonymousContext) async throws -> Response
    ) async throws -> Response {
        guard let authority = request.head.authority, let host = TargetURI("http://\(authority)")?.host,
            try await isAllowed(host)
        else {
            throw Refusal.forbidden(
                "the mailbox is shown under localhost, addresses of this machine, --public-url and domains of apps only"
            )
        }
        return try await next(request, context)
    }

    private func isAllowed(_ host: String) async throws -> Bool {
        if IPNetwork.isLoopback(host: host) { return true }
        return try await directory.isConfigured(host: host)
    }
}
