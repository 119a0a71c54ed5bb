internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("Rows that another node changes between the lock and the reading", .timeLimit(.minutes(1)))
struct MovedRowsTests {
    @Test("The user who has got the identifier meanwhile is locked, too")
    func identifier() async throws {
        try await TwoNodes.run { nodes in
            let world = nodes.first
            let (ada, eve) = (try await world.addUser(), try await world.addUser("eve@example.com"))
            let (mover, suspender) = (try TestServer.connect(to: nodes.url), try TestServer.connect(to: nodes.url))
            _ = try mover.run([.begin, Statement("SELECT 1 FROM users WHERE id = $1 FOR UPDATE", [ada.id])])
            _ = try suspender.run([.begin, Statement("UPDATE users SET status = 'suspended' WHERE id = $1", [eve.id])])

            let reading = Task { try await world.read { $0.user = .identifier(ada.identifiers[0]) }.user }
            try await nodes.untilBlocked(by: mover.pid)
            let move = Statement(
                "UPDATE identifiers SET user_id = $2, position = 9 WHERE user_id = $1", [ada.id, eve.id])
            _ = try mover.run([move, .commit])
            try await nodes.untilBlocked(by: suspender.pid)
            _ = try suspender.run([.commit])
            let found = try #require(try await reading.value)
            #expect(found.id == eve.id)
            #expect(found.status == .suspended)
        }
    }

    @Test("The owners of identifiers are those that are locked")
    func owners() async throws {
        try await TwoNodes.run { nodes in
            let world = nodes.first
            let (ada, eve) = (try await world.addUser(), try await world.addUser("eve@example.com"))
            let (mover, suspender) = (try TestServer.connect(to: nodes.url), try TestServer.connect(to: nodes.url))
            _ = try mover.run([.begin, Statement("SELECT 1 FROM users WHERE id = $1 FOR UPDATE", [ada.id])])
            _ = try suspender.run([.begin, Statement("UPDATE users SET status = 'suspended' WHERE id = $1", [eve.id])])

            let reading = Task {
                try await world.read { $0.owners = .init(identifiers: ada.identifiers, externalID: nil) }.owners
            }
            try await nodes.untilBlocked(by: mover.pid)
            let move = Statement(
                "UPDATE identifiers SET user_id = $2, position = 9 WHERE user_id = $1", [ada.id, eve.id])
            _ = try mover.run([move, .commit])
            try await nodes.untilBlocked(by: suspender.pid)
            _ = try suspender.run([.commit])
            #expect(try await reading.value.map(\.status) == [.suspended])
        }
    }

    @Test("An event whose webhook is deleted meanwhile is kept, without a delivery")
    func webhook() async throws {
        try await TwoNodes.run { nodes in
            let world = nodes.first
            try await world.addApp()
            let webhook = world.newWebhook()
            try await world.write(.insertWebhook(webhook, expectedCount: 0))
            let deleter = try TestServer.connect(to: nodes.url)
            _ = try deleter.run([.begin, Statement("DELETE FROM webhooks")])

            let telling = Task { try await world.tell(.userCreated) }
            try await nodes.untilBlocked(by: deleter.pid)
            _ = try deleter.run([.commit])
            #expect(try await telling.value.count == 1)
            #expect(try await world.happened() == [.userCreated])
        }
    }

    @Test("Housekeeping and health checks wait for a row and try again")
    func change() async throws {
        try await TwoNodes.run { nodes in
            let holder = try TestServer.connect(to: nodes.url)
            // A lock without a transaction id: one that runs so long would keep the events of other tests waiting.
            _ = try holder.run([.begin, Statement("LOCK TABLE prelude_session IN EXCLUSIVE MODE")])
            let check = Task { try await nodes.stores[0].checkWriting() }
            // Longer than one attempt waits.
            try await nodes.untilBlocked(by: holder.pid)
            _ = try holder.run([Statement("SELECT pg_sleep(0.6)"), .commit])
            try await check.value
        }
    }
}
