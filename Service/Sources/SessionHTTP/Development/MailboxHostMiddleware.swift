import Hummingbird
import SessionDomain
import SessionTokens

/// Allows the mailbox under loopback names and configured hosts only.
///
/// An attacker can resolve their own name to a loopback address (DNS rebinding). Their page then has the same origin as
/// the mailbox, but it cannot change the name in `Host`.
struct MailboxHostMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let directory: AppDirectory

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let authority = request.head.authority, let host = TargetURI("http://\(authority)")?.host,
            try await isAllowed(host)
        else {
            throw Refusal.forbidden(
                "the mailbox is available under localhost, loopback addresses, --public-url and domains of apps only"
            )
        }
        return try await next(request, context)
    }

    private func isAllowed(_ host: String) async throws -> Bool {
        if IPNetwork.isLoopback(host: host) { return true }
        return try await directory.isConfigured(host: host)
    }
}
