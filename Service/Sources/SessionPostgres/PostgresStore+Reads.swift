package import SessionDomain
package import SessionSQL

// SessionSQL has the reads that both databases have.
extension PostgresStore: SQLStore, AppStore, ManagementKeyStore, UserStore, LoginStore, MessageStore, SessionStore,
    PasskeyStore, StepUpStore, WebhookStore
{
    package var dialect: Dialect { .postgres }

    package func users(_ lookup: UserLookup, app: AppID) async throws -> [User] {
        let ids = """
            ANY (ARRAY(
                SELECT unnest($2::text[])
                UNION ALL SELECT user_id FROM external_ids WHERE app_id = $1 AND external_id = ANY ($3::text[])
                UNION ALL SELECT user_id FROM identifiers
                JOIN unnest($4::text[], $5::text[]) AS wanted (type, canonical) USING (type, canonical)
                WHERE app_id = $1))
            """
        let values: [(any ColumnValue)?] = [
            app, TextArray(lookup.ids), TextArray(lookup.externalIDs),
            TextArray(lookup.identifiers.map(\.type.rawValue)), TextArray(lookup.identifiers.map(\.canonical)),
        ]
        let statements = [
            Statement(
                "SELECT \(User.columns) FROM users WHERE app_id = $1 AND id = \(ids) ORDER BY created_at DESC, id DESC",
                values),
            Statement(
                "SELECT \(IdentifierRow.columns) FROM identifiers WHERE app_id = $1 AND user_id = \(ids) ORDER BY position",
                values),
        ]
        return try await read(statements) { try Self.users($0) }
    }
}

extension PostgresStore: EventStore {
    package func events(_ query: EventQuery) async throws -> [Event]? {
        guard let id = query.before else { return try await read([EventSelection(query).statement], Self.events) }
        let place = Statement("SELECT 1 FROM events WHERE app_id = $1 AND id = $2", [query.app, id])
        return try await read([place, EventSelection(query).statement]) { rows in
            try rows[0].isEmpty() ? nil : try Self.events([rows[1]])
        }
    }

    @Sendable private static func events(_ rows: [any StoredRows]) throws -> [Event] {
        try rows[0].all(SequencedEvent.init(reading:)).map(\.event)
    }

    package func events(app: AppID?, after sequence: Int64, limit: Int) async throws -> [SequencedEvent] {
        let events = Statement(
            """
            SELECT \(SequencedEvent.columns) FROM events
            WHERE sequence > $1 AND ($2::text IS NULL OR app_id = $2)
            ORDER BY sequence, id LIMIT $3
            """, [sequence, app, limit])
        return try await read([events]) { try $0[0].all(SequencedEvent.init(reading:)) }
    }

    package var eventLateness: Int64 { WriteOrder.lateness }
}

/// The statement of a query of events, newest first.
struct EventSelection {
    /// The actor's id in the context. `JSONWritable` writes members in the order of their names, so the id comes first.
    static let actorID = #"substring(context, '^[{]"actor":[{]"id":"([A-Za-z0-9_]+)"')"#

    private var conditions = ["app_id = $1"]
    private var values: [(any ColumnValue)?]
    private let limit: Int
    private let offset: Int

    init(_ query: EventQuery) {
        values = [query.app]
        (limit, offset) = (query.limit, query.offset)
        if let user = query.user { add("user_id = ?", user) }
        if let actor = query.actor { add("\(Self.actorID) = ?", actor) }
        switch query.name {
        case .exactly(let name): add("name = ?", name)
        // "/" is the character after ".".
        case .family(let family): add("name > ? AND name < ?", family + ".", family + "/")
        case nil: break
        }
        if let from = query.from { add("created_at >= ?", from) }
        if let until = query.until { add("created_at < ?", until) }
        if let id = query.before {
            add(
                "(created_at, sequence, id) < (SELECT created_at, sequence, id FROM events WHERE app_id = $1 AND id = ?)",
                id)
        }
    }

    /// - Parameter condition: Has a question mark for each value.
    private mutating func add(_ condition: String, _ bound: any ColumnValue...) {
        var parts = condition.split(separator: "?", omittingEmptySubsequences: false)
        var numbered = String(parts.removeFirst())
        for (value, part) in zip(bound, parts) {
            values.append(value)
            numbered += "$\(values.count)\(part)"
        }
        conditions.append(numbered)
    }

    var statement: Statement {
        Statement(
            """
            SELECT \(SequencedEvent.columns) FROM events WHERE \(conditions.joined(separator: " AND "))
            ORDER BY created_at DESC, sequence DESC, id DESC LIMIT $\(values.count + 1) OFFSET $\(values.count + 2)
            """, values + [limit, offset])
    }
}
