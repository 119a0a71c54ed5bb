#if Hummingbird
    public import Hummingbird
    public import PreludeSessionVerifier

    /// Lets in requests with a good access token, `Bearer` or `DPoP`, and answers all others as RFC 6750, RFC 9449 and
    /// RFC 9470 say.
    @available(macOS 14, iOS 17, tvOS 17, visionOS 1, *)
    public struct VerifierMiddleware<Context: VerifiedRequestContext>: RouterMiddleware {
        private let verifier: SessionVerifier

        /// - Parameter verifier: The one verifier of this backend.
        public init(_ verifier: SessionVerifier) {
            self.verifier = verifier
        }

        /// Verifies the request and passes it on with its user.
        public func handle(
            _ request: Request, context: Context, next: (Request, Context) async throws -> Response
        ) async throws -> Response {
            var context = context
            context.user = try await verifier.verify(request.head)
            var response = try await next(request, context)
            for field in verifier.nextHeaderFields { response.headers[field.name] = field.value }
            return response
        }
    }

    /// Lets in requests whose token has a scope.
    @available(macOS 14, iOS 17, tvOS 17, visionOS 1, *)
    public struct ScopeMiddleware<Context: VerifiedRequestContext>: RouterMiddleware {
        private enum Requirement {
            case granted(String)
            case steppedUp(String)
        }

        private let requirement: Requirement

        /// A scope that the user has or has not: 403 `insufficient_scope` (RFC 6750 §3.1).
        public init(scope: String) {
            requirement = .granted(scope)
        }

        /// A scope that the user can get: 401 `insufficient_user_authentication` (RFC 9470 §3), which tells the app to step up.
        public init(stepUp scope: String) {
            requirement = .steppedUp(scope)
        }

        /// Passes the request on if its token has the scope.
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
#endif
