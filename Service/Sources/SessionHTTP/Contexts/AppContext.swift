import Hummingbird
import SessionDomain

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
