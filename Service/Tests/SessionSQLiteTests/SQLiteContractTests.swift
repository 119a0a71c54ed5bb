internal import Foundation
internal import SessionSQLite
internal import SessionStoreContract
internal import Testing

/// The two locations of the embedded store, with their names in the contract.
enum SQLiteBackend: String, CaseIterable, CustomTestStringConvertible {
    case file = "SQLite file"
    case memory = "SQLite memory"

    var testDescription: String { rawValue }
}

@Suite("The embedded store keeps the contract")
struct SQLiteContractTests {
    /// The file of a database without rows. A copy opens faster than a new file, which is migrated first.
    private static let emptyFile = Task {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.sqlite")
        try await SQLiteStore.open(.file(path)).close()
        return try withExtendedLifetime(directory) { try Data(contentsOf: URL(fileURLWithPath: path)) }
    }

    @Test("The store keeps the rule", arguments: SQLiteBackend.allCases, StoreContract.rules)
    func rule(backend: SQLiteBackend, rule: ContractRule) async throws {
        switch backend {
        case .memory: try await check(rule, at: .memory)
        case .file:
            let directory = try TemporaryDirectory()
            let path = directory.path("store.sqlite")
            try await Self.emptyFile.value.write(to: URL(fileURLWithPath: path))
            try await check(rule, at: .file(path))
        }
    }

    private func check(_ rule: ContractRule, at location: SQLiteLocation) async throws {
        let store = try SQLiteStore.open(location)
        try await rule.check(ContractWorld(store: store))
        try await store.close()
    }

    @Test("Every registered store is tested")
    func everyBackendRuns() {
        #expect(StoreContract.backends.filter { $0.hasPrefix("SQLite") } == SQLiteBackend.allCases.map(\.rawValue))
    }

    @Test("The names of rules are distinct, and no rule is missing")
    func rulesAreDistinct() {
        #expect(Set(StoreContract.rules.map(\.name)).count == StoreContract.rules.count)
        #expect(StoreContract.rules.count >= 210)
    }
}
