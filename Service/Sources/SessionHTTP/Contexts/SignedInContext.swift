import Hummingbird
import SessionDomain
import SessionTokens

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
