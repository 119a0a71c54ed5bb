import Hummingbird
package import SessionDomain

/// The events of an app, and of the service itself, in the management API, newest first.
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
        var query = try EventQuery(try request.query, app: app)
        let limit = query.limit
        // One event more than the page has shows whether there is a next page.
        query.limit += 1
        guard let found = try await store.events(query) else {
            let name = try request.query["cursor"] == nil ? "before" : "cursor"
            throw Refusal.invalidField(name, "must be the id of an event of this app")
        }
        let events = found.prefix(limit)
        return try .json(
            EventListBody(
                events: events.map { AuditedEventBody($0) }, limit: limit,
                next: found.count > limit ? events.last?.id : nil))
    }
}

private struct EventListBody: Encodable {
    let events: [AuditedEventBody]
    let limit: Int
    /// The `cursor` of the next page. Absent on the last one.
    let next: String?
}

extension EventQuery {
    /// Pages beyond this are read with `before`, whose cost does not grow with the place in the list.
    private static let maximumOffset = 10_000

    /// Reads the query parameters `limit`, `offset`, `cursor` or its older name `before`, `user_id`, `actor_id`, `name`,
    /// `from` and `until`.
    ///
    /// - Throws: `Refusal.invalidField` with the name of the parameter; the refusals of a page.
    package init(_ query: FormFields, app: AppID) throws(Refusal) {
        let page = try Page(query, maximumOffset: Self.maximumOffset)
        guard (1...100).contains(page.limit) else { throw .invalidPaginationLimit }
        guard page.offset >= 0 else { throw .invalidPaginationOffset(maximum: Self.maximumOffset) }
        self.init(app: app, limit: page.limit, offset: page.offset)
        user = try Self.id("user_id", in: query)
        actor = try Self.id("actor_id", in: query)
        before = try Self.id("before", in: query)
        if try ListRequest.cursor(query) != nil {
            guard before == nil else { throw .invalidField("cursor", "must not be set together with before") }
            before = try Self.id("cursor", in: query)
        }
        if let text = query["name"] { name = try NameFilter(text) }
        from = try Self.time("from", in: query)
        until = try Self.time("until", in: query)
        if let from, let until, from >= until { throw .invalidField("until", "must be later than from") }
    }

    private static func id(_ name: String, in query: FormFields) throws(Refusal) -> String? {
        guard let id = query[name] else { return nil }
        guard (1...64).contains(id.utf8.count), id.utf8.allSatisfy({ $0.isASCIIWord }) else {
            throw .invalidField(name, "must be an id")
        }
        return id
    }

    private static func time(_ name: String, in query: FormFields) throws(Refusal) -> Timestamp? {
        guard let text = query[name] else { return nil }
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
