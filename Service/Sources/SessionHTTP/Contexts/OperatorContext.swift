import Hummingbird
import SessionDomain

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
