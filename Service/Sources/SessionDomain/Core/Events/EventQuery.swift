/// The events that a reader asks for. A `nil` member does not restrict them.
package struct EventQuery: Sendable, Equatable {
    /// Selects events by name.
    package enum NameFilter: Sendable, Equatable {
        case exactly(String)
        /// Every name that begins with this text and a dot: `login` selects `login.failed`.
        case family(String)
    }

    package var app: AppID
    package var user: String?
    /// The id of the operator or management key that caused the event.
    package var actor: String?
    package var name: NameFilter?
    /// The earliest time.
    package var from: Timestamp?
    /// Events of this time and later are left out.
    package var until: Timestamp?
    /// The id of an event. The list continues after it, with older events.
    package var before: String?
    package var limit: Int
    package var offset: Int

    package init(
        app: AppID, user: String? = nil, actor: String? = nil, name: NameFilter? = nil, from: Timestamp? = nil,
        until: Timestamp? = nil, before: String? = nil, limit: Int, offset: Int = 0
    ) {
        self.app = app
        self.user = user
        self.actor = actor
        self.name = name
        self.from = from
        self.until = until
        self.before = before
        self.limit = limit
        self.offset = offset
    }
}

extension EventQuery {
    /// Whether an event is selected by user, actor, name and time. App and place in the list are not compared.
    package func matches(_ event: Event) -> Bool {
        if let user, event.userID != user { return false }
        if let actor, event.context.actor?.id != actor { return false }
        if let name, !name.matches(event.name) { return false }
        if let from, event.createdAt < from { return false }
        if let until, event.createdAt >= until { return false }
        return true
    }
}

extension EventQuery.NameFilter {
    /// Reads a filter: `login.failed`, or `login.*` for all names of a family.
    ///
    /// - Throws: `Refusal.invalidField` if there is no such event. Otherwise a misspelled name would find nothing.
    package init(_ text: String, field: String = "name") throws(Refusal) {
        let known = Event.Name.families.union(Event.Name.all.map(\.rawValue))
        guard known.contains(text) else {
            let similar = SimilarName.of(text, in: known).map { "; did you mean \($0)?" } ?? ""
            throw .invalidField(
                field, "must be the name of an event, such as login.failed, or a family, such as login.*" + similar)
        }
        self = text.hasSuffix(".*") ? .family(String(text.dropLast(2))) : .exactly(text)
    }

    package func matches(_ name: Event.Name) -> Bool {
        switch self {
        case .exactly(let exact): name.rawValue == exact
        case .family(let family): name.rawValue.hasPrefix(family + ".")
        }
    }
}

/// An event with its place in the order in which events were committed.
package struct SequencedEvent: Sendable, Equatable {
    package let sequence: Int64
    package let event: Event

    package init(sequence: Int64, event: Event) {
        self.sequence = sequence
        self.event = event
    }
}

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
