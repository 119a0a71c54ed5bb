internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("Events in the order in which they were written", .timeLimit(.minutes(1)))
struct WriteOrderTests {
    @Test("Places within a transaction, and transactions, have growing numbers")
    func numbers() throws {
        let connection = try TestServer.connect()
        var last: Int64 = 0
        for _ in 0..<3 {
            _ = try connection.run([.begin])
            for position in 0..<3 {
                let next: Int64 = try connection.one("SELECT \(WriteOrder.sequence("$1"))", [position])
                #expect(next > last)
                last = next
            }
            _ = try connection.run([.commit])
        }
    }

    @Test("Numbers are larger than those of a store on one machine, and fit for two centuries")
    func range() throws {
        let connection = try TestServer.connect()
        let now: Int64 = try connection.one("SELECT \(WriteOrder.sequence("$1"))", [0])
        #expect(now > 1 << 60 && now < .max / 4)
    }

    /// Adds an event in a transaction that stays open.
    private func openEvent(_ url: String, _ id: String) throws -> PostgresConnection {
        let connection = try TestServer.connect(to: url)
        let event = Event(
            id: id, appID: try #require(AppID("contra1")), name: .userDeleted, createdAt: Timestamp(seconds: 1),
            data: [:], context: EventContext())
        _ = try connection.run([.begin] + event.insertions(WriteOrder(.postgres, position: 0)))
        return connection
    }

    @Test("A follower gets an event that is written first and committed last, and each event once")
    func late() async throws {
        let url = try TestServer.emptySchema()
        let store = try PostgresStore.open(PostgresLocation(url))
        let world = try ContractWorld(store: store)
        try await world.tell(.userCreated)
        var follower = EventFollower(store, pageSize: 2)
        try await follower.begin()
        let open = try openEvent(url, "evt_late")
        let written = try await world.tell(.userStatusChanged, .userCreated, .userDeleted)
        #expect(try await follower.next(of: nil) == written)
        _ = try open.run([.commit])
        #expect(try await follower.next(of: nil).map(\.id) == ["evt_late"])
        #expect(try await follower.next(of: nil).isEmpty)
        await store.close()
    }

    @Test("Pages after events of the same time and number miss none and repeat none")
    func ties() async throws {
        let url = try TestServer.emptySchema()
        let store = try PostgresStore.open(PostgresLocation(url))
        let world = try ContractWorld(store: store)
        let written = try await world.tell(.userCreated, .userCreated, .userCreated, .userCreated, .userCreated)
        try TestServer.connect(to: url).run([Statement("UPDATE events SET sequence = 7")])
        var (seen, last): ([String], String?) = ([], nil)
        for _ in 0..<10 {
            let page = try #require(await store.events(EventQuery(app: world.app, before: last, limit: 2)))
            guard let next = page.last else { break }
            seen += page.map(\.id)
            last = next.id
        }
        #expect(seen.count == 5 && Set(seen) == Set(written.map(\.id)))
        await store.close()
    }

    @Test("A follower misses no event whose number is also that of the last event of a page")
    func tiesOfPages() async throws {
        let url = try TestServer.emptySchema()
        let store = try PostgresStore.open(PostgresLocation(url))
        let world = try ContractWorld(store: store)
        let written = try await world.tell(.userCreated, .userCreated, .userCreated, .userCreated, .userCreated)
        let connection = try TestServer.connect(to: url)
        for (event, sequence) in zip(written, [7, 8, 8, 9, 9] as [Int64]) {
            try connection.run([Statement("UPDATE events SET sequence = $1 WHERE id = $2", [sequence, event.id])])
        }
        var follower = EventFollower(store, pageSize: 2)
        let seen = try await follower.next(of: nil).map(\.id)
        #expect(seen.count == 5 && Set(seen) == Set(written.map(\.id)))
        #expect(try await follower.next(of: nil).isEmpty)
        await store.close()
    }

    @Test("A follower of two nodes that write at once misses nothing and sees nothing twice")
    func follower() async throws {
        try await TwoNodes.run { nodes in
            let reader = nodes.first
            let writers = Task {
                try await nodes.concurrently(100) { world, _ in try await world.tell(.userCreated, .userStatusChanged) }
            }
            var follower = EventFollower(reader.store, pageSize: 7)
            var seen: [String] = []
            for _ in 0..<5000 where seen.count < 200 { seen += try await follower.next(of: nil).map(\.id) }
            let written = try await writers.value
            seen += try await follower.next(of: nil).map(\.id)
            #expect(seen.count == 200)
            #expect(Set(seen) == Set(written.flatMap(\.self).map(\.id)))
        }
    }
}
