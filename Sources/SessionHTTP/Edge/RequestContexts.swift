package import Hummingbird
package import Logging
import SessionDomain
import SessionTokens
import SessionWire

/// What every request has: where it comes from. Whoever calls is anonymous so far.
package struct AnonymousContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The address of the socket's other end, a proxy's included.
    package let peerAddress: String
    /// Set once by `ClientMiddleware`, before any route.
    var client = Client(
        host: "", source: SourceAddress(ip: ""), device: Device(), facts: ClientFacts(), isBrowser: false)
    var requestID = ""
    var app: AppRuntime?
    var proof: CheckedProof?
    var caller: SignedIn?
    /// Whether the management key is good for every app.
    var isForAllApps = false

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peerAddress = source.channel.remoteAddress?.ipAddress ?? ""
    }

    /// For requests that come without a network.
    package init(logger: Logger, peerAddress: String) {
        coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
        self.peerAddress = peerAddress
    }

    private struct InProcessSource: RequestContextSource {
        let logger: Logger
    }
}

/// A request to a known app; the caller is anonymous.
struct AppContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let app: AppRuntime
    let client: Client

    init(context: AnonymousContext) throws {
        guard let app = context.app else { throw Refusal.notFound("no app is served under this host") }
        coreContext = context.coreContext
        self.app = app
        client = context.client
    }
}

/// A request whose DPoP proof, if it has one, was checked against RFC 9449 §4.3. Whether one is needed depends on the
/// session.
struct ProofBoundContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let app: AppRuntime
    let client: Client
    let proof: CheckedProof?

    init(context: AnonymousContext) throws {
        let base = try AppContext(context: context)
        coreContext = base.coreContext
        app = base.app
        client = base.client
        proof = context.proof
    }

    /// Browsers have it in a cookie and nowhere else; everybody else in the header and nowhere else.
    func refreshToken(in request: Request) -> String? {
        client.isBrowser
            ? AppCookies(app: app).refreshToken(in: request) : request.headers.first(HeaderName.refreshToken)
    }
}

/// A request with a good access token of a live session.
struct SignedInContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let app: AppRuntime
    let client: Client
    let caller: SignedIn
    /// By the session's key, when the session has one.
    let proof: CheckedProof?

    init(context: AnonymousContext) throws {
        let base = try AppContext(context: context)
        guard let caller = context.caller else { throw Refusal.unauthorized }
        coreContext = base.coreContext
        app = base.app
        client = base.client
        self.caller = caller
        proof = context.proof
    }
}

/// A call of the management API with a key that is good for the app in its path.
struct OperatorContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let appID: AppID
    let isForAllApps: Bool

    init(context: AnonymousContext) throws {
        guard let appID = context.parameters.get("app_id").flatMap({ AppID($0) }) else {
            throw Refusal.notFound("there is no such app")
        }
        coreContext = context.coreContext
        isForAllApps = context.isForAllApps
        self.appID = appID
    }
}
