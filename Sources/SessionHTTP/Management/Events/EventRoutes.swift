import Hummingbird
import SessionDomain

/// The events of an app, and of the service itself, in the management API, newest first.
@available(service, *)
struct EventRoutes: Sendable {
    let store: any EventStore

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        try await list(request, of: context.appID)
    }

    /// Events that belong to no app, such as those of management keys for all apps.
    @Sendable func listOfService(_ request: Request, context: AllAppsContext) async throws -> Response {
        try await list(request, of: .service)
    }

    private func list(_ request: Request, of app: AppID) async throws -> Response {
        guard let events = try await store.events(EventQuery(request, app: app)) else {
            throw Refusal.invalidField("before", "must be the id of an event of this app")
        }
        return try .json(EventListBody(events: events.map { AuditedEventBody($0) }))
    }
}

private struct EventListBody: Encodable { let events: [AuditedEventBody] }

extension EventQuery {
    /// Pages beyond this are read with `before`, whose cost does not grow with the place in the list.
    private static let maximumOffset = 10_000

    /// Reads the query parameters `limit`, `offset`, `before`, `user_id`, `name`, `from` and `until`.
    ///
    /// - Throws: `Refusal.invalidField` with the name of the parameter; the refusals of a page.
    init(_ request: Request, app: AppID) throws(Refusal) {
        let page = try Page(request)
        guard (1...100).contains(page.limit) else { throw .invalidPaginationLimit }
        guard (0...Self.maximumOffset).contains(page.offset) else { throw .invalidPaginationOffset }
        self.init(app: app, limit: page.limit, offset: page.offset)
        user = try Self.id("user_id", in: request)
        before = try Self.id("before", in: request)
        if let text = Self.text("name", in: request) { name = try NameFilter(text) }
        from = try Self.time("from", in: request)
        until = try Self.time("until", in: request)
        if let from, let until, from >= until { throw .invalidField("until", "must be later than from") }
    }

    private static func text(_ name: String, in request: Request) -> String? {
        request.uri.queryParameters[name[...]].map { String($0) }
    }

    private static func id(_ name: String, in request: Request) throws(Refusal) -> String? {
        guard let id = text(name, in: request) else { return nil }
        guard (1...64).contains(id.utf8.count), id.utf8.allSatisfy({ $0.isASCIIWord }) else {
            throw .invalidField(name, "must be an id")
        }
        return id
    }

    private static func time(_ name: String, in request: Request) throws(Refusal) -> Timestamp? {
        guard let text = text(name, in: request) else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw .invalidField(name, "must be a time in UTC, such as 2026-01-01T12:00:00Z")
        }
        return time
    }
}

extension UInt8 {
    fileprivate var isASCIIWord: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }
}
