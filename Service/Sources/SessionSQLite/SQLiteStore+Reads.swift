internal import GRDB
package import SessionDomain
package import SessionSQL

// SessionSQL has the reads that both databases have.
extension SQLiteStore: SQLStore, AppStore, ManagementKeyStore, UserStore, LoginStore, MessageStore, SessionStore,
    PasskeyStore, StepUpStore, WebhookStore
{
    package var dialect: Dialect { .sqlite }

    package func read<Answer: Sendable>(
        _ statements: [Statement], _ read: @escaping @Sendable ([any StoredRows]) throws -> Answer
    ) async throws -> Answer {
        try await self.read { db in try read(statements.map { SQLiteRows(db: db, statement: $0) }) }
    }

    package func users(_ lookup: UserLookup, app: AppID) async throws -> [User] {
        try await read { db in
            var found: [String: User] = [:]
            for id in lookup.ids { found[id] = try db.user(id, app: app) }
            for user in try db.users(owning: lookup.identifiers, lookup.externalIDs, app: app) { found[user.id] = user }
            return found.values.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        }
    }
}

extension SQLiteStore: EventStore {
    package func events(_ query: EventQuery) async throws -> [Event]? {
        try await read { db in try db.events(query)?.map(\.event) }
    }

    package func events(app: AppID?, after sequence: Int64, limit: Int) async throws -> [SequencedEvent] {
        // The plus keeps SQLite from choosing an index of the app, which would read all its events.
        let condition = app == nil ? "" : "AND +app_id = ?"
        let values: [(any ColumnValue)?] = [sequence] + (app.map { [$0] } ?? []) + [limit]
        return try await read { db in
            try db.all(
                "SELECT \(SequencedEvent.columns) FROM events WHERE sequence > ? \(condition) ORDER BY sequence LIMIT ?",
                values, as: SequencedEvent.init(reading:))
        }
    }

    /// Writes follow each other.
    package var eventLateness: Int64 { 0 }

    package func deleteEvents(
        of app: AppID, until: Timestamp, pendingUntil: Timestamp, limit: Int
    ) async throws -> Int {
        try await writer.perform { db in
            .keep(
                try db.run(
                    """
                    DELETE FROM events WHERE sequence IN (
                        SELECT sequence FROM events INDEXED BY events_by_time
                        WHERE app_id = ? AND created_at <= ? AND (
                            created_at <= ? OR NOT EXISTS (
                                SELECT 1 FROM webhook_deliveries AS delivery
                                WHERE delivery.app_id = events.app_id AND delivery.event_id = events.id
                                    AND delivery.status = 'pending'))
                        LIMIT ?)
                    """, [app, until, pendingUntil, limit]))
        }
    }
}

extension Database {
    /// Reads the events of a query, newest first. `nil` if the event `before` does not exist.
    func events(_ query: EventQuery) throws -> [SequencedEvent]? {
        var selection = EventSelection(query)
        if let id = query.before {
            let place = try first(
                "SELECT created_at, sequence FROM events WHERE app_id = ? AND id = ?", [query.app, id]
            ) { columns -> EventSelection.Place in (try columns.next(), try columns.next()) }
            guard let place else { return nil }
            selection.end(before: place)
        }
        guard case .family(let family)? = query.name, query.user == nil, query.actor == nil else {
            return try all(selection.sql, selection.arguments, as: SequencedEvent.init(reading:))
        }
        return try events(ofFamily: family, query, selection)
    }

    /// An index is ordered by time within one name. So the names of the family are read one by one and merged.
    private func events(
        ofFamily family: String, _ query: EventQuery, _ selection: EventSelection
    ) throws -> [SequencedEvent] {
        var found: [SequencedEvent] = []
        for name in try names(ofFamily: family, app: query.app) {
            let one = selection.narrowed(to: name, limit: query.offset + query.limit)
            found += try all(one.sql, one.arguments, as: SequencedEvent.init(reading:))
        }
        found.sort { ($0.event.createdAt, $0.sequence) > ($1.event.createdAt, $1.sequence) }
        return Array(found.dropFirst(query.offset).prefix(query.limit))
    }

    /// The stored names of a family. Each costs one look-up in the index.
    private func names(ofFamily family: String, app: AppID) throws -> [String] {
        var names: [String] = []
        var last = family + "."
        // "/" is the character after ".".
        while let name = try first(
            "SELECT name FROM events INDEXED BY events_by_name WHERE app_id = ? AND name > ? AND name < ? LIMIT 1",
            [app, last, family + "/"], as: { try $0.next() as String })
        {
            names.append(name)
            last = name
        }
        return names
    }
}

/// The statement of a query of events. It names its index, so that no query reads all events of an app.
struct EventSelection {
    typealias Place = (time: Timestamp, sequence: Int64)

    /// Whether the actor has an id. `JSONWritable` writes members in the order of their names, so the id comes first.
    static let hasActorID = #"substr(context, 1, 16) = '{"actor":{"id":"'"#
    /// The actor's id in the context. Ids have no character that JSON escapes.
    static let actorID =
        "CASE WHEN \(hasActorID) " + #"THEN substr(context, 17, instr(substr(context, 17), '"') - 1) END"#

    private var index: String
    private var conditions = ["app_id = ?"]
    private var values: [any ColumnValue]
    private var limit: Int
    private var offset: Int

    init(_ query: EventQuery) {
        values = [query.app]
        (limit, offset) = (query.limit, query.offset)
        index = "events_by_time"
        // A user or an actor has few events, so names are then compared one by one. Of the two, a user has fewer.
        if let actor = query.actor {
            index = "events_by_actor"
            conditions.append(Self.hasActorID)
            add(Self.actorID + " = ?", actor)
        }
        if let user = query.user {
            index = "events_by_user"
            add("user_id = ?", user)
        }
        let isOfOne = query.user != nil || query.actor != nil
        switch query.name {
        case .exactly(let name):
            if !isOfOne { index = "events_by_name" }
            add("name = ?", name)
        case .family(let family) where isOfOne: add("name > ? AND name < ?", family + ".", family + "/")
        case .family, nil: break
        }
        if let from = query.from { add("created_at >= ?", from) }
        if let until = query.until { add("created_at < ?", until) }
    }

    mutating func end(before place: Place) {
        add("(created_at, sequence) < (?, ?)", place.time, place.sequence)
    }

    /// The first events with this name.
    func narrowed(to name: String, limit: Int) -> EventSelection {
        var one = self
        one.index = "events_by_name"
        one.add("name = ?", name)
        (one.limit, one.offset) = (limit, 0)
        return one
    }

    private mutating func add(_ condition: String, _ bound: any ColumnValue...) {
        conditions.append(condition)
        values += bound
    }

    var sql: String {
        """
        SELECT \(SequencedEvent.columns) FROM events INDEXED BY \(index) WHERE \(conditions.joined(separator: " AND "))
        ORDER BY created_at DESC, sequence DESC LIMIT ? OFFSET ?
        """
    }

    var arguments: [(any ColumnValue)?] { values + [limit, offset] }
}
