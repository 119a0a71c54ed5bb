import Foundation
import Testing

@testable import PreludeSession

/// What every credential store keeps to.
@Suite("The contract of credential stores")
struct CredentialStoreContractTests {
    enum Kind: CaseIterable {
        case file, memory, keychain
        /// A store of an app that implements no `create(_:at:)` of its own.
        case withoutCreate
        /// What the SDK puts around each store.
        case guarded

        func store(in directory: String) -> any PreludeCredentialStore {
            switch self {
            case .file: PreludeFileCredentialStore(directory: directory)
            case .memory: PreludeInMemoryCredentialStore()
            case .keychain: KeychainRecords(items: InMemoryKeychain(), lock: FileLock(directory: directory))
            case .withoutCreate: FaultyStore()
            case .guarded:
                GuardedCredentialStore(store: PreludeFileCredentialStore(directory: directory), log: .none, timeout: 10)
            }
        }
    }

    private let one = Data("one".utf8)
    private let two = Data("two".utf8)

    private func with(_ kind: Kind, _ work: (any PreludeCredentialStore) async throws -> Void) async throws {
        let directory = NSTemporaryDirectory() + "prelude-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await work(kind.store(in: directory))
    }

    @Test("A record is read, replaced and deleted, and a missing one is no error", arguments: Kind.allCases)
    func roundTrip(kind: Kind) async throws {
        try await with(kind) { store in
            #expect(try await store.read("a") == nil)
            try await store.write(one, to: "a")
            try await store.write(two, to: "a")
            #expect(try await store.read("a") == two)
            #expect(try await store.read("b") == nil)
            try await store.delete("a")
            try await store.delete("a")
            #expect(try await store.read("a") == nil)
        }
    }

    @Test("A record is created only if there is none, and an existing one stays", arguments: Kind.allCases)
    func create(kind: Kind) async throws {
        try await with(kind) { store in
            #expect(try await store.create(one, at: "a"))
            #expect(try await !store.create(two, at: "a"))
            #expect(try await store.read("a") == one)
            #expect(try await store.create(two, at: "b"))
            try await store.delete("a")
            #expect(try await store.create(two, at: "a"))
            #expect(try await store.read("a") == two)
            try await store.write(one, to: "a")
            #expect(try await !store.create(two, at: "a"))
            #expect(try await store.read("a") == one)
        }
    }

    // Proves: E4
    @Test("Of concurrent creators one succeeds, and all others read its record", arguments: Kind.allCases)
    func concurrentCreate(kind: Kind) async throws {
        try await with(kind) { store in
            for round in 0..<5 {
                let name = "attempt.\(round)"
                let results = try await withThrowingTaskGroup(of: (mine: Data, isCreated: Bool, read: Data?).self) {
                    group in
                    for index in 0..<8 {
                        group.addTask {
                            let mine = Data("creator \(index)".utf8)
                            let isCreated = try await store.create(mine, at: name)
                            return (mine, isCreated, try await store.read(name))
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let winner = try #require(results.first { $0.isCreated }).mine
                #expect(results.count { $0.isCreated } == 1)
                #expect(results.allSatisfy { $0.read == winner })
            }
        }
    }

    @Test("A lock admits one caller at a time, and is released by an error", arguments: Kind.allCases)
    func lock(kind: Kind) async throws {
        try await with(kind) { store in
            try await store.write(Data("0".utf8), to: "count")
            await #expect(throws: CancellationError.self) {
                try await store.withLock("l") { throw CancellationError() }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await store.withLock("l") {
                            let text = String(decoding: try await store.read("count") ?? Data(), as: UTF8.self)
                            await Task.yield()
                            try await store.write(Data(String((Int(text) ?? 0) + 1).utf8), to: "count")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.read("count") == Data("20".utf8))
        }
    }
}
