internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

/// Both sides of one rule: `RateCounter.take` decides in Swift, and a statement decides in the server.
@Suite("The server counts as RateCounter.take does")
struct CounterRowsTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private static let limits: [RateLimit] =
        [-1, 0, 1, 2, 9, 10, 11, 18, 100].flatMap { limit in
            [60, 86_400].flatMap { window -> [RateLimit] in
                [
                    RateLimit(limit: limit, window: window), .streak(limit, window: window),
                    .refilling(limit, by: max(limit, 7), window: window),
                ]
            }
        }

    /// What is stored: nothing, or counts with an end of the window relative to `now`, in milliseconds.
    private static let states: [RateCounter?] =
        [nil]
        + [1, 2, 8, 9, 10, 11, 12, 17, 18, 40, 100, 101, 121, 541, 86_400, 172_801, 950_400].flatMap { count in
            ends.map { RateCounter(count: count, resetsAt: Timestamp(milliseconds: now.milliseconds + $0)) }
        }

    private static let ends: [Int64] = [
        -1000, -1, 0, 1, 999, 1000, 29_999, 30_000, 30_001, 60_000, 3_569_999, 3_570_000, 3_570_001, 3_600_000,
        82_799_999, 82_800_000, 86_370_000, 86_400_000, 90_000_000,
        90_000_001,
    ]

    @Test("They agree on each counter, limit and window", arguments: limits)
    func agree(limit: RateLimit) throws {
        let connection = try TestServer.connect(to: CounterTable.url.get())
        let key = CounterKey.sendsOfApp
        let app = try #require(AppID("count\(limit.isStreak ? "s" : limit.refill == nil ? "f" : "r")0"))
        let counter = FactQuery.CounterSelector(key, limit: limit, now: Self.now)
        for state in Self.states {
            _ = try connection.run([.begin])
            if let state {
                _ = try connection.run([
                    Statement(
                        "INSERT INTO counters (app_id, key, count, resets_at) VALUES ($1, $2, $3, $4)",
                        [app, key.text, state.count, state.resetsAt])
                ])
            }
            let failure = connection.failure(of: [Statement("SAVEPOINT before"), counter.counting(app: app)])
            let expected = RateCounter.take(state, limit: limit, now: Self.now)
            switch expected {
            case .refused:
                #expect(failure == .refused(.exhausted(key, until: Self.now)), "\(String(describing: state))")
            case .allowed(let next):
                #expect(failure == nil, "\(String(describing: state))")
                let stored = try connection.run([key.reading(app: app)])[0].first(StoredCounter.init(reading:))
                #expect(stored?.counter == next, "\(String(describing: state))")
            }
            _ = try connection.run([.rollback])
        }
    }

    @Test("Taking back ends at zero, and clearing takes the counters of one user")
    func uncount() throws {
        let connection = try TestServer.connect(to: CounterTable.url.get())
        let app = try #require(AppID("uncount"))
        let limit = RateLimit(limit: 5, window: 60)
        let keys: [CounterKey] = [
            .failures(.session(id: "s", userID: "ada"), .hour), .failures(.session(id: "s", userID: "ada2"), .hour),
            .failures(.device(id: "d", userID: "ada"), .streak), .sendsOfApp,
        ]
        _ = try connection.run([.begin])
        for key in keys + keys {
            _ = try connection.run([FactQuery.CounterSelector(key, limit: limit, now: Self.now).counting(app: app)])
        }
        func counts() throws -> [Int] {
            try keys.map { key in
                try connection.run([key.reading(app: app)])[0].first(StoredCounter.init(reading:))?.counter.count ?? 0
            }
        }
        #expect(try counts() == [2, 2, 2, 2])
        for left in [1, 0, 0] {
            _ = try connection.run(CounterKey.sendsOfApp.uncounting(app: app))
            #expect(try counts() == [2, 2, 2, left])
        }
        _ = try connection.run(CounterKey.clearing(CounterKey.prefixes(ofUser: "ada"), app: app))
        #expect(try counts() == [0, 2, 0, 0])
        _ = try connection.run([.rollback])
    }
}

/// A schema whose tables the tests above leave empty.
private enum CounterTable {
    static let url = Result {
        let url = try TestServer.emptySchema()
        _ = try Migrator(connection: try TestServer.connect(to: url)).migrate()
        return url
    }
}
