/// Reads the events that are added to a store, each once.
///
/// A store for several nodes can commit an event after one with a higher number. So the last numbers are read again, and events
/// that were seen are left out.
package struct EventFollower {
    private let store: any EventStore
    private let pageSize: Int
    private var last: Int64 = 0
    /// The events whose numbers are read again.
    private var seen: [String: Int64] = [:]

    /// - Parameter pageSize: The most events that one query returns.
    package init(_ store: any EventStore, pageSize: Int = 1000) {
        self.store = store
        self.pageSize = pageSize
    }

    /// Starts after the events that are there.
    package mutating func begin() async throws {
        last = try await store.lastEventSequence()
        _ = try await next(of: nil)
    }

    /// The events that were added since the last call, in the order in which they were written.
    ///
    /// - Parameter app: The app of the events, the same in each call. `nil`: all apps.
    package mutating func next(of app: AppID?) async throws -> [Event] {
        var added: [Event] = []
        var place = last - store.eventLateness
        while true {
            let page = try await store.events(app: app, after: place, limit: pageSize)
            for found in page where seen.updateValue(found.sequence, forKey: found.event.id) == nil {
                added.append(found.event)
            }
            guard let end = page.last?.sequence else { break }
            last = max(last, end)
            guard page.count == pageSize else { break }
            // Two nodes can write at the same microsecond: an event after the page can have the number of its last one.
            place = page.first?.sequence == end ? end : end - 1
        }
        let horizon = last - store.eventLateness
        seen = seen.filter { $0.value > horizon }
        return added
    }
}
