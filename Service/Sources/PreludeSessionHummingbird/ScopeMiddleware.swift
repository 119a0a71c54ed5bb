public import Hummingbird
import PreludeSessionVerifier

/// Accepts requests whose token has a scope. Add it behind ``VerifierMiddleware``.
public struct ScopeMiddleware<Context: VerifiedRequestContext>: RouterMiddleware {
    private enum Requirement {
        case granted(String)
        case steppedUp(String)
    }

    private let requirement: Requirement

    /// Requires a scope that the user cannot get by stepping up.
    ///
    /// Requests without the scope get 403 `insufficient_scope` (RFC 6750 §3.1).
    public init(scope: String) {
        requirement = .granted(scope)
    }

    /// Requires a scope that the user can get by stepping up.
    ///
    /// Requests without the scope get 401 `insufficient_user_authentication` (RFC 9470 §3); the app can then start the
    /// step-up.
    public init(stepUp scope: String) {
        requirement = .steppedUp(scope)
    }

    /// Calls the next responder if the token has the scope.
    ///
    /// - Throws: `VerificationError` if the token lacks the scope, or if no ``VerifierMiddleware`` verified the request.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let user = try context.requireUser()
        switch requirement {
        case .granted(let scope): try user.require(scope: scope)
        case .steppedUp(let scope): try user.require(stepUp: scope)
        }
        return try await next(request, context)
    }
}
