#if Hummingbird
    public import Hummingbird
    public import PreludeSessionVerifier

    /// A request context with room for who sent the request.
    @available(macOS 14, iOS 17, tvOS 17, visionOS 1, *)
    public protocol VerifiedRequestContext: RequestContext {
        /// Set by ``VerifierMiddleware``; `nil` outside of it.
        var user: VerifiedUser? { get set }
    }

    @available(macOS 14, iOS 17, tvOS 17, visionOS 1, *)
    extension VerifiedRequestContext {
        /// Who sent the request.
        ///
        /// - Throws: `VerificationError` with status 401 where no ``VerifierMiddleware`` looked at the request.
        public func requireUser() throws(VerificationError) -> VerifiedUser {
            guard let user else { throw VerificationError.missingCredentials }
            return user
        }
    }

    /// The context for backends that need nothing else in it.
    @available(macOS 14, iOS 17, tvOS 17, visionOS 1, *)
    public struct VerifiedContext: VerifiedRequestContext {
        /// What Hummingbird keeps.
        public var coreContext: CoreRequestContextStorage
        /// Who sent the request.
        public var user: VerifiedUser?

        /// A context of a request that nobody looked at yet.
        public init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
        }
    }
#endif
