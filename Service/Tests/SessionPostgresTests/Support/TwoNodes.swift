internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable import SessionStoreContract

/// Two stores on the same tables, as two nodes of the service have them.
struct TwoNodes {
    let url: String
    let stores: [PostgresStore]
    let worlds: [ContractWorld]

    var first: ContractWorld { worlds[0] }

    /// Runs a test, and closes the stores after it.
    static func run(connections: Int = 4, _ body: (TwoNodes) async throws -> Void) async throws {
        let url = try TestServer.emptySchema()
        var options = PoolOptions()
        options.size = connections
        let stores = try (0..<2).map { _ in try PostgresStore.open(PostgresLocation(url), options: options) }
        let nodes = try TwoNodes(url: url, stores: stores, worlds: stores.map { try ContractWorld(store: $0) })
        // The ids of the worlds are numbers that count up, so those of the second one begin later.
        for _ in 0..<10_000 { _ = nodes.worlds[1].environment.randomBytes(1) }
        try await body(nodes)
        for store in stores { await store.close() }
    }

    /// Runs work many times at once, half of it on each node.
    func concurrently<Answer: Sendable>(
        _ count: Int, _ work: @escaping @Sendable (ContractWorld, Int) async throws -> Answer
    ) async throws -> [Answer] {
        let worlds = worlds
        return try await SessionStoreContract.concurrently(count) { try await work(worlds[$0 % 2], $0) }
    }
}

/// Refreshes a session again and again, until it is refused. Returns the last generation.
func refreshUntilRefused(_ session: Session, as name: String, on worlds: [ContractWorld]) async throws -> Int64 {
    var generation: Int64 = 0
    // More than any test needs, so that a session that does not end fails the test.
    for attempt in 0..<2000 {
        let outcome = try await worlds[attempt % worlds.count].rotate(
            session, generation: generation, proof: worlds[0].proof("\(name) \(attempt)"))
        switch outcome {
        case .rotated(let next, _, _), .repeated(let next, _, _), .recovered(let next, _, _):
            generation = next.generation
        case .nonceDemanded, .revoked, .refused: return generation
        }
    }
    throw StoreError.unavailable("the session does not end")
}

extension TwoNodes {
    /// Waits until a connection of the stores waits for a lock of another one.
    func untilBlocked(by pid: Int) async throws {
        let connection = try TestServer.connect(to: url)
        for _ in 0..<10_000 {
            if try connection.isBlocking(pid) { return }
            await Task.yield()
        }
        Issue.record("nobody waits")
    }
}

extension PostgresConnection {
    /// Whether a connection waits for a lock of another one.
    func isBlocking(_ pid: Int) throws -> Bool {
        // Only of those that wait: each call stops all changes of locks for a moment.
        try one(
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND $1::int = ANY (pg_blocking_pids(pid)))", [pid])
    }
}
