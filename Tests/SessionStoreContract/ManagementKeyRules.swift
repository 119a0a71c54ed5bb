internal import SessionDomain
internal import Testing

enum ManagementKeyRules {
    static let all: [ContractRule] = [
        ContractRule("A management key is found by its hash and listed oldest first") { world async throws in
            let keys = [
                ManagementKey(id: "mk_b", name: "all apps", appID: nil, hash: "hash-1", createdAt: world.now),
                ManagementKey(id: "mk_a", name: "one app", appID: world.app, hash: "hash-2", createdAt: world.now + 1),
            ]
            for key in keys.reversed() { try await world.store.perform(InsertManagementKey(key, mustBeNew: true)) }
            #expect(try await world.store.managementKey(hash: "hash-2") == keys[1])
            #expect(try await world.store.managementKey(hash: "hash-3") == nil)
            #expect(try await world.store.managementKeys() == keys)
        },
        ContractRule("A management key with a taken hash is an error") { world async throws in
            let key = ManagementKey(id: "mk_a", name: "k", appID: nil, hash: "hash", createdAt: world.now)
            let same = ManagementKey(id: "mk_b", name: "l", appID: nil, hash: "hash", createdAt: world.now)
            try await world.store.perform(InsertManagementKey(key, mustBeNew: true))
            await #expect(throws: StoreError.self) {
                try await world.store.perform(InsertManagementKey(same, mustBeNew: true))
            }
            #expect(try await world.store.managementKeys() == [key])
        },
        ContractRule("A management key that is ensured twice stays the first") { world async throws in
            let key = ManagementKey(id: "mk_a", name: "k", appID: nil, hash: "hash", createdAt: world.now)
            let same = ManagementKey(id: "mk_b", name: "l", appID: nil, hash: "hash", createdAt: world.now)
            try await world.store.perform(InsertManagementKey(key, mustBeNew: false))
            try await world.store.perform(InsertManagementKey(same, mustBeNew: false))
            #expect(try await world.store.managementKeys() == [key])
        },
        ContractRule("A deleted management key is not found, and cannot be deleted again") { world async throws in
            let key = ManagementKey(id: "mk_a", name: "k", appID: nil, hash: "hash", createdAt: world.now)
            try await world.store.perform(InsertManagementKey(key, mustBeNew: true))
            #expect(try await world.store.perform(DeleteManagementKey(id: "mk_a")))
            #expect(try await world.store.perform(DeleteManagementKey(id: "mk_a")) == false)
            #expect(try await world.store.managementKey(hash: "hash") == nil)
        },
    ]
}
