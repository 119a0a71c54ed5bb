/// Reads the events of a query page by page, newest first, so that any number of them needs little memory.
package struct EventPages: Sendable {
    /// The most events of one page.
    static let size = 500

    private let place: AppPlaces.Place
    private var query: EventQuery
    private let store: any EventStore
    private var isComplete = false
    /// The last event that was read, and the ids of those that were read of its time.
    private var last: (time: Timestamp, ids: Set<String>)?

    /// - Parameter query: Its limit is the size of a page.
    init(of query: EventQuery, in store: any EventStore, place: AppPlaces.Place) {
        self.place = place
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
