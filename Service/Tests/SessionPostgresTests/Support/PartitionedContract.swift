internal import Dispatch
internal import SessionDomain
internal import SessionStoreContract
internal import Synchronization
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

/// One run of the contract on tables with partitions, which also collects the statements of the store.
enum PartitionedContract {
    static let partitions = 3

    static let outcome = Task {
        try await ContractRun().outcome { try TestServer.emptySchema(partitions: partitions) }
    }
}

/// A run of the whole contract on stores of its own, four rules at a time.
final class ContractRun: Sendable {
    /// The errors of rules, by their names. An expectation that fails is an issue of the test that runs first.
    struct Outcome {
        var errors: [String] = []
        var statements: Set<String> = []
    }

    private let waiting = Mutex(StoreContract.rules[...])

    /// - Parameter url: Makes an empty database for each store. The store creates the tables unless they exist.
    func outcome(_ url: @escaping @Sendable () async throws -> String) async throws -> Outcome {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<4 { group.addTask { try await self.run(url()) } }
            return try await group.reduce(into: Outcome()) { all, part in
                all.errors += part.errors
                all.statements.formUnion(part.statements)
            }
        }
    }

    /// Checks rules with one store, until there are none.
    private func run(_ url: String) async throws -> Outcome {
        let options = TestStores.options
        let store = try PostgresStore.open(PostgresLocation(url), options: options)
        var outcome = Outcome()
        while let rule = waiting.withLock({ $0.popFirst() }) {
            do { try await rule.check(ContractWorld(store: store)) } catch {
                outcome.errors.append("\(rule.name): \(error)")
            }
            try await store.empty()
        }
        outcome.statements = try await store.prepared(connections: options.size).subtracting(Self.testStatements)
        await store.close()
        return outcome
    }

    private static var testStatements: Set<String> {
        Set((PostgresStore.emptying + [PostgresStore.preparedStatements]).map(\.sql))
    }
}

extension PostgresStore {
    fileprivate static let preparedStatements = Statement("SELECT statement FROM pg_prepared_statements")

    /// The texts of the statements that each connection has prepared.
    fileprivate func prepared(connections: Int) async throws -> Set<String> {
        let meeting = Meeting(connections)
        return try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<connections {
                group.addTask {
                    try await self.read([Self.preparedStatements]) { rows in
                        // No connection answers twice.
                        meeting.wait()
                        return try rows[0].all { try $0.next() }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.formUnion($1) }
        }
    }
}

/// Threads that wait until all of them are there.
private final class Meeting: Sendable {
    private let missing: Mutex<Int>
    private let size: Int
    private let complete = DispatchSemaphore(value: 0)

    init(_ size: Int) {
        self.size = size
        missing = Mutex(size)
    }

    func wait() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { for _ in 0..<size { complete.signal() } }
        complete.wait()
    }
}
