import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

/// A request whose DPoP proof, if it has one, is valid (RFC 9449 §4.3). The session decides whether a proof is required.
@available(service, *)
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
    func refreshToken(in request: Request) -> String? {
        client.isBrowser
            ? AppCookies(app: app).refreshToken(in: request) : request.headers.first(.refreshToken)
    }
}
