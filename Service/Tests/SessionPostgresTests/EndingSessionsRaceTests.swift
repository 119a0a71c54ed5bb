internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("What ends sessions, against refreshes on two nodes", .timeLimit(.minutes(1)))
struct EndingSessionsRaceTests {
    private typealias End = @Sendable (ContractWorld, User) async throws -> Void

    private static let ends: [(name: String, end: End)] = [
        (
            "a suspension",
            { world, user in _ = try await world.store.perform(SetUserStatus(.suspended, in: world.change(of: user.id)))
            }
        ),
        (
            "the end of all sessions",
            { world, user in
                _ = try await world.store.perform(
                    RevokeSessions(.all, reason: .revokedByOperator, in: world.change(of: user.id)))
            }
        ),
        (
            "a new password",
            { world, user in
                _ = try await world.store.perform(
                    SetPassword(hash: "new", ending: .all, in: world.change(of: user.id)))
            }
        ),
        (
            "the deletion of the user",
            { world, user in
                _ = try await world.store.perform(DeleteUser(user.id, app: world.app, events: []))
            }
        ),
    ]

    @Test("A refresh waits for no lock of its user, so refreshes cannot keep a change of the user waiting")
    func user() async throws {
        try await TwoNodes.run { nodes in
            let session = try await nodes.first.signIn(try await nodes.first.addUser())
            let holder = try TestServer.connect(to: nodes.url)
            _ = try holder.run([.begin, Statement("SELECT 1 FROM users FOR NO KEY UPDATE")])
            #expect(try await nodes.first.rotate(session, proof: nodes.first.proof("a")).rotatedGeneration == 1)
            _ = try holder.run([.rollback])
        }
    }

    @Test("What ends sessions waits for a refresh that runs, and ends its result", arguments: ends.indices)
    func waiting(index: Int) async throws {
        try await TwoNodes.run { nodes in
            let world = nodes.first
            let user = try await world.addUser()
            let session = try await world.signIn(user)
            let refresh = try TestServer.connect(to: nodes.url)
            _ = try refresh.run([.begin, Statement("UPDATE sessions SET generation = generation + 1")])
            let ending = Task { try await Self.ends[index].end(world, user) }
            try await nodes.untilBlocked(by: refresh.pid)
            _ = try refresh.run([.commit])
            try await ending.value
            #expect(try await !world.isLive(session))
            #expect(try await world.rotate(session, generation: 1, proof: world.proof("b")).rotatedGeneration == nil)
        }
    }

    @Test("Nothing that ends sessions waits for refreshes that never stop", arguments: ends.indices)
    func end(index: Int) async throws {
        try await TwoNodes.run { nodes in
            let user = try await nodes.first.addUser()
            var sessions: [Session] = []
            for _ in 0..<16 { sessions.append(try await nodes.first.signIn(user)) }
            let (worlds, all) = (nodes.worlds, sessions)
            let refreshes = all.map { session in
                Task { try await refreshUntilRefused(session, as: session.id, on: worlds) }
            }
            // All have begun.
            for session in all {
                _ = try await worlds[1].rotate(session, proof: worlds[1].proof("begin \(session.id)"))
            }
            try await Self.ends[index].end(worlds[1], user)
            for session in all { #expect(try await !worlds[0].isLive(session)) }
            for refresh in refreshes { #expect(try await refresh.value > 0) }
        }
    }
}
