import Hummingbird
import SessionDomain

/// The events of an app in the management API, newest first.
struct EventRoutes: Sendable {
    let store: any EventStore

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        let page = try Page(request)
        guard (1...100).contains(page.limit) else { throw Refusal.invalidPaginationLimit }
        guard page.offset >= 0 else { throw Refusal.invalidPaginationOffset }
        let events = try await store.events(app: context.appID, limit: page.limit, offset: page.offset)
        return try .json(EventListBody(events: events.map(EventBody.init)))
    }
}

private struct EventListBody: Encodable { let events: [EventBody] }
