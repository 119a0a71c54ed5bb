import Hummingbird
import SessionDomain

/// What happened in an app, newest first, through the management API.
struct EventRoutes: Sendable {
    let store: any EventStore

    private struct EventList: Encodable { let events: [EventBody] }

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        let page = try Page(request)
        guard (1...100).contains(page.limit) else { throw Refusal.invalidPaginationLimit }
        guard page.offset >= 0 else { throw Refusal.invalidPaginationOffset }
        let events = try await store.events(app: context.appID, limit: page.limit, offset: page.offset)
        return try .json(EventList(events: events.map(EventBody.init)))
    }
}
