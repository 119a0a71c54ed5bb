import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

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
