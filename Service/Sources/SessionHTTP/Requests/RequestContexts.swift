package import Hummingbird
package import Logging
import SessionDomain
import SessionTokens
import SessionWire

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

/// A request to an app. The caller is not authenticated.
struct AppContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let app: AppRuntime
    let client: Client

    init(context: ServiceRequestContext) throws {
        coreContext = context.coreContext
        app = try context.app
        client = try context.client
    }
}

/// A request whose DPoP proof, if it has one, is valid (RFC 9449 §4.3). The session decides whether a proof is required.
struct ProofBoundContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let app: AppRuntime
    let client: Client
    let proof: CheckedProof?

    init(context: ServiceRequestContext) throws {
        coreContext = context.coreContext
        app = try context.app
        client = try context.client
        proof = try context.proof
    }

    /// The refresh token: of browsers from the cookie only, of all other clients from the header only.
    ///
    /// - Throws: `Refusal.invalidField` for a header that is repeated: only one of its values would be used.
    func refreshToken(in request: Request) throws(Refusal) -> String? {
        if client.isBrowser { return AppCookies(app: app).refreshToken(in: request) }
        let values = request.headers[values: .refreshToken]
        guard values.count <= 1 else { throw .invalidField(HeaderName.refreshToken, "must not be repeated") }
        return values.first
    }
}

/// A request with a valid access token of a live session.
struct SignedInContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let app: AppRuntime
    let client: Client
    let caller: SignedIn
    /// A proof by the session's key, if the session has a key.
    let proof: CheckedProof?

    init(context: ServiceRequestContext) throws {
        coreContext = context.coreContext
        app = try context.app
        client = try context.client
        caller = try context.caller
        proof = try context.proof
    }
}

/// A request to the management API of one app, with a management key that is valid for this app.
struct OperatorContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let appID: AppID
    let managementKey: ManagementKey

    init(context: ServiceRequestContext) throws {
        managementKey = try context.managementKey
        guard let appID = context.parameters.get("app_id").flatMap({ AppID($0) }) else {
            throw Refusal.notFound("there is no such app")
        }
        coreContext = context.coreContext
        self.appID = appID
    }
}

/// A request to the management API with a management key that is valid for all apps.
struct AllAppsContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let managementKey: ManagementKey

    init(context: ServiceRequestContext) throws {
        managementKey = try context.managementKey
        guard managementKey.appID == nil else { throw Refusal.unauthorized }
        coreContext = context.coreContext
    }
}
