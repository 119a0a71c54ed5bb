internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("Lists of events use an index")
struct EventQueryPlanTests {
    private func plan(_ sql: String) async throws -> [String] {
        let store = try SQLiteStore.open(.memory)
        let plan = try await store.database.read { db in
            let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
            statement.setUncheckedArguments([])
            return try Row.fetchAll(statement).map { $0["detail"] as String }
        }
        try await store.close()
        return plan
    }

    private static let selections: [(name: String, change: @Sendable (inout EventQuery) -> Void)] = [
        ("app", { _ in }), ("user", { $0.user = "usr_1" }), ("name", { $0.name = .exactly("login.failed") }),
        ("actor", { $0.actor = "mk_1" }),
        (
            "actor and name",
            {
                $0.actor = "mk_1"
                $0.name = .exactly("login.failed")
            }
        ),
        (
            "actor and family",
            {
                $0.actor = "mk_1"
                $0.name = .family("login")
            }
        ),
        (
            "user and actor",
            {
                $0.user = "usr_1"
                $0.actor = "mk_1"
            }
        ),
        (
            "user and name",
            {
                $0.user = "usr_1"
                $0.name = .exactly("login.failed")
            }
        ),
        (
            "user and family",
            {
                $0.user = "usr_1"
                $0.name = .family("login")
            }
        ),
    ]

    @Test("No filter reads all events of an app, or sorts them", arguments: selections.indices, [false, true])
    func filters(selection: Int, hasTime: Bool) async throws {
        var query = EventQuery(app: try #require(AppID("testapp")), limit: 10)
        Self.selections[selection].change(&query)
        if hasTime { (query.from, query.until) = (Timestamp(seconds: 1), Timestamp(seconds: 2)) }
        for hasCursor in [false, true] {
            var statement = EventSelection(query)
            if hasCursor { statement.end(before: (Timestamp(seconds: 2), 7)) }
            // A family without a user and an actor is read name by name.
            let isPlain = query.user == nil && query.actor == nil && query.name == nil
            for one in [statement] + (isPlain ? [statement.narrowed(to: "login.failed", limit: 10)] : []) {
                let plan = try await plan(one.sql)
                #expect(plan.allSatisfy { $0.hasPrefix("SEARCH") }, "\(plan)")
                #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
                if hasTime || hasCursor {
                    #expect(plan.contains { $0.contains("created_at>") || $0.contains("created_at<") }, "\(plan)")
                }
            }
        }
    }

    @Test("Events from before the index are found by their actor")
    func earlier() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.sqlite")
        let database = try DatabaseQueue(path: path)
        _ = try await database.writeWithoutTransaction { db in
            try Migration.apply(Migration.all.filter { $0.number < Migration.eventsByActor.number }, to: db)
        }
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO events (app_id, id, name, created_at, data, context) VALUES
                        ('testapp', 'evt_1', 'user.created', 1000, '{}', '{"actor":{"type":"client"}}'),
                        ('testapp', 'evt_2', 'user.created', 1000, '{}', '{"actor":{"id":"mk_1","type":"management_key"}}')
                    """)
        }
        try database.close()
        let store = try SQLiteStore.open(.file(path))
        let app = try #require(AppID("testapp"))
        #expect(try await store.events(EventQuery(app: app, actor: "mk_1", limit: 10))?.map(\.id) == ["evt_2"])
        try await store.close()
    }

    @Test("Events from before the migration are found by their user, and have no context")
    func migrated() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.sqlite")
        let database = try DatabaseQueue(path: path)
        _ = try await database.writeWithoutTransaction { db in
            try Migration.apply(Migration.all.filter { $0.number < Migration.audit.number }, to: db)
        }
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO events (app_id, id, name, created_at, data)
                    VALUES ('testapp', 'evt_1', 'user.created', 1000, '{"user_id":"usr_1"}'),
                        ('testapp', 'evt_2', 'signing_key.removed', 1000, '{"key_id":"k"}')
                    """)
        }
        try database.close()
        let store = try SQLiteStore.open(.file(path))
        let app = try #require(AppID("testapp"))
        let found = try await store.events(EventQuery(app: app, user: "usr_1", limit: 10))
        #expect(found?.map(\.id) == ["evt_1"])
        #expect(found?.first?.context == EventContext())
        #expect(try await store.events(app: app, limit: 10, offset: 0).map(\.id) == ["evt_2", "evt_1"])
        try await store.close()
    }
}
