public import Hummingbird
public import PreludeSessionVerifier

/// Accepts requests with a valid access token (`Bearer` or `DPoP`) and stores the user in the context.
///
/// All other requests get the responses that RFC 6750, RFC 9449 and RFC 9470 define.
public struct VerifierMiddleware<Context: VerifiedRequestContext>: RouterMiddleware {
    private let verifier: SessionVerifier

    /// Creates the middleware.
    ///
    /// - Parameter verifier: The verifier of this backend. Share one verifier between all middlewares.
    public init(_ verifier: SessionVerifier) {
        self.verifier = verifier
    }

    /// Verifies the request and calls the next responder with the user in the context.
    ///
    /// - Throws: `VerificationError` if the request is rejected.
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
