internal import SessionTokens

/// What an operator downloads: all that is stored about a user, and the audit trail. An event reports each export.
package struct DataExports: Sendable {
    private let store: any ServiceStore
    private let environment: ServiceEnvironment
    private let slots = AppSlots.ofExports()

    init(store: any ServiceStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// All that is stored about a user, without secrets and hashes.
    ///
    /// - Throws: `Refusal.notFound`; `.overloaded` if too many exports run.
    package func user(_ id: String, app: AppID) async throws -> UserExport {
        guard let user = try await store.user(id, app: app) else { throw Refusal.notFound("there is no such user") }
        let slot = try slots.take(app)
        try await report(.userExported, ["user_id": .string(id)], app: app)
        let now = environment.now()
        let counters = try await store.counters(
            CounterKey.all(of: user) + Notice.Kind.allCases.map { .notices(userID: id, $0) }, ofUser: id, app: app)
        return UserExport(
            user: user, exportedAt: now, passkeys: try await store.passkeys(of: id, app: app),
            sessions: try await sessions(of: id, app: app, now: now),
            grants: try await store.grants(of: id, app: app, liveAt: now),
            limits: counters.filter { $0.counter.resetsAt > now }.sorted { $0.key < $1.key },
            events: EventPages(of: EventQuery(app: app, user: id, limit: EventPages.size), in: store, slot: slot))
    }

    /// The events that match a query, newest first. Its place and size of a page do not count.
    ///
    /// - Parameters:
    ///   - filters: The query as its caller wrote it, for the event.
    ///   - format: The format of the file.
    /// - Throws: `Refusal.overloaded` if too many exports run.
    package func events(
        _ query: EventQuery, filters: [String: String], format: String
    ) async throws -> EventPages {
        let slot = try slots.take(query.app)
        var query = query
        (query.limit, query.offset, query.before) = (EventPages.size, 0, nil)
        let data = filters.mapValues(JSONValue.string)
        try await report(
            .eventsExported, ["format": .string(format), "filters": .object(data)], app: query.app)
        return EventPages(of: query, in: store, slot: slot)
    }

    private func sessions(of id: String, app: AppID, now: Timestamp) async throws -> [Session] {
        let size = 100
        var all = try await store.sessions(of: id, app: app, now: now, limit: size, offset: 0).sessions
        var page = all
        while page.count == size, let last = page.last {
            page = try await store.sessions(
                of: id, app: app, now: now, after: ListPlace(time: last.lastSeenAt, id: last.id), limit: size)
            all += page
        }
        return all
    }

    private func report(_ name: Event.Name, _ data: [String: JSONValue], app: AppID) async throws {
        let events = EventFactory(appID: app, environment: environment)
        try await store.perform(AppendEvents([events.make(name, data)]))
    }
}

/// All that is stored about one user, apart from sessions that have ended, and what expires by itself: codes, step-ups that are
/// not complete, and messages that wait.
package struct UserExport: Sendable {
    package let user: User
    package let exportedAt: Timestamp
    /// Oldest first.
    package let passkeys: [Passkey]
    /// The live ones, last seen first.
    package let sessions: [Session]
    package let grants: [Grant]
    package let limits: [StoredCounter]
    /// Newest first.
    package let events: EventPages
}

/// Reads the events of a query page by page, newest first, so that any number of them needs little memory.
package struct EventPages: Sendable {
    /// The most events of one page.
    static let size = 500

    private let slot: AppSlots.Slot
    private var query: EventQuery
    private let store: any EventStore
    private var isComplete = false
    /// The last event that was read, and the ids of those that were read of its time.
    private var last: (time: Timestamp, ids: Set<String>)?

    /// - Parameter query: Its limit is the size of a page.
    init(of query: EventQuery, in store: any EventStore, slot: AppSlots.Slot) {
        self.slot = slot
        self.query = query
        self.store = store
    }

    /// The next page. Empty after the last one.
    package mutating func next() async throws -> [Event] {
        while !isComplete {
            if let found = try await store.events(query) {
                isComplete = found.count < query.limit
                let page = found.filter { last?.ids.contains($0.id) != true }
                guard let end = found.last else { return [] }
                query.before = end.id
                note(page, until: end.createdAt)
                if !page.isEmpty { return page }
            } else {
                // Retention has deleted the last event that was read. Those that wait for a webhook are still there, also of
                // the same time.
                query.before = nil
                query.until = last.map { Timestamp(milliseconds: $0.time.milliseconds + 1) }
            }
        }
        return []
    }

    private mutating func note(_ page: [Event], until time: Timestamp) {
        let ids = Set(page.filter { $0.createdAt == time }.map(\.id))
        last = (time, last?.time == time ? ids.union(last?.ids ?? []) : ids)
    }
}
