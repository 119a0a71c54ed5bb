internal import Foundation
public import Hummingbird
internal import NIOCore
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

/// A request context that stores the verified user.
public protocol VerifiedRequestContext: RequestContext {
    /// The verified user. ``VerifierMiddleware`` sets it; `nil` for routes without that middleware.
    var user: VerifiedUser? { get set }
}

extension VerifiedRequestContext {
    /// Returns the verified user.
    ///
    /// - Throws: `VerificationError` with status 401 if no ``VerifierMiddleware`` verified the request.
    public func requireUser() throws(VerificationError) -> VerifiedUser {
        guard let user else { throw VerificationError.missingCredentials }
        return user
    }
}

/// A request context that stores the verified user and nothing else.
public struct VerifiedContext: VerifiedRequestContext {
    /// The storage of Hummingbird.
    public var coreContext: CoreRequestContextStorage
    /// The verified user; `nil` if the request is not verified.
    public var user: VerifiedUser?

    /// Creates the context of a request that is not verified yet.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}

/// Lets middleware and handlers throw a `VerificationError`: Hummingbird sends the response of the error.
///
/// The verifier and this module are released together, so no other conformance can appear.
// swift-format-ignore: AvoidRetroactiveConformances
extension VerificationError: @retroactive HTTPResponseError, @retroactive ResponseGenerator {
    private struct Body: Encodable {
        let code: String
        let message: String
    }

    /// The response: status, `WWW-Authenticate` challenge, and a JSON body with `code` and `message`.
    public func response(from request: Request, context: some RequestContext) throws -> Response {
        var headers = headerFields
        headers[.contentType] = "application/json; charset=utf-8"
        let body = try JSONEncoder().encode(Body(code: reason.rawValue, message: description))
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
