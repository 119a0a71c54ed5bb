package import Hummingbird
package import Logging
import SessionDomain
import SessionTokens

/// The context of every request: the peer's address, and what the middleware has found out so far.
///
/// Each property with a throwing getter is set by one middleware. Reading it before that middleware has run throws
/// `MiddlewareOrderError`, which is answered with 500: a wrong order fails on the first request.
package struct ServiceRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The address of the other end of the connection. This is the proxy's address if there is a proxy.
    package let peerAddress: String
    /// Set by `RequestMiddleware`.
    package var requestID: String?
    /// Written by middleware only. Everything else reads the throwing getters below.
    var results: MiddlewareResults {
        get { box?.results ?? MiddlewareResults() }
        set { box = Box(newValue) }
    }

    /// Each middleware copies the context, and a reference is cheaper to copy than what it refers to.
    fileprivate var box: Box?

    fileprivate final class Box: Sendable {
        let results: MiddlewareResults

        init(_ results: MiddlewareResults) { self.results = results }
    }

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peerAddress = source.channel.remoteAddress?.ipAddress ?? ""
    }

    package init(logger: Logger, peerAddress: String) {
        coreContext = CoreRequestContextStorage(source: LoggerSource(logger: logger))
        self.peerAddress = peerAddress
    }

    private struct LoggerSource: RequestContextSource {
        let logger: Logger
    }
}

/// What the middleware has found out about a request. A value is `nil` until its middleware has run.
struct MiddlewareResults: Sendable {
    /// Set by `ClientMiddleware`.
    var client: Client?
    /// Set by `ClientMiddleware`.
    var app: AppRuntime?
    /// The request that a proxy asks about. Set by `ForwardedCallMiddleware`.
    var original: OriginalRequest?
    /// Set by `ProofMiddleware`.
    var proof: ProofResult?
    /// Set by `AccessTokenMiddleware`.
    var caller: SignedIn?
    /// Set by `ManagementKeyMiddleware`.
    var managementKey: ManagementKey?
}

extension ServiceRequestContext {
    var client: Client { get throws { try Self.result(box?.results.client, of: ClientMiddleware.self) } }

    var app: AppRuntime { get throws { try Self.result(box?.results.app, of: ClientMiddleware.self) } }

    /// The valid DPoP proof of the request; `nil` if it has none.
    var proof: CheckedProof? { get throws { try Self.result(box?.results.proof, of: ProofMiddleware.self).proof } }

    /// The request that a proxy asks about; `nil` for a call of an app.
    var original: OriginalRequest? { box?.results.original }

    var caller: SignedIn { get throws { try Self.result(box?.results.caller, of: AccessTokenMiddleware.self) } }

    var managementKey: ManagementKey {
        get throws { try Self.result(box?.results.managementKey, of: ManagementKeyMiddleware.self) }
    }

    private static func result<Value>(_ value: Value?, of middleware: Any.Type) throws -> Value {
        guard let value else { throw MiddlewareOrderError(missing: middleware) }
        return value
    }
}

/// A middleware or route needs the result of a middleware that has not run. The order in `Router.swift` is wrong.
struct MiddlewareOrderError: Error, Equatable, CustomStringConvertible {
    /// The name of the middleware that has not run.
    let missing: String

    init(missing middleware: Any.Type) { missing = "\(middleware)" }

    var description: String { "\(missing) has not run; add it before the middleware and routes that need its result" }
}
