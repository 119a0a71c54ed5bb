public import Hummingbird
public import PreludeSessionVerifier

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
