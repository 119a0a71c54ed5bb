internal import SessionDomain
internal import Testing

enum ManagementKeyRules {
    static let all: [ContractRule] = [
        ContractRule("A management key is found by its hash and listed oldest first") { world async throws in
            let keys = [
                ManagementKey(
                    id: "mk_b", name: "all apps", appID: nil, hash: "hash-1", createdBy: .commandLine,
                    createdAt: world.now),
                ManagementKey(
                    id: "mk_a", name: "one app", appID: world.app, hash: "hash-2", role: .read,
                    createdBy: .key("mk_b"), createdAt: world.now + 1, expiresAt: world.now + 60),
            ]
            for key in keys.reversed() { try await world.write(.insertManagementKey(key)) }
            #expect(try await world.store.managementKey(hash: "hash-2") == keys[1])
            #expect(try await world.store.managementKey(hash: "hash-3") == nil)
            #expect(try await world.store.managementKeys() == keys)
            #expect(try await world.read { $0.managementKeys = true }.managementKeys == keys)
        },
        ContractRule("A management key with a taken hash is an error") { world async throws in
            try await world.store.expect(InsertManagementKey(key("mk_a", world)), is: .created(key("mk_a", world)))
            await #expect(throws: StoreError.self) {
                try await world.store.perform(InsertManagementKey(key("mk_b", world, hash: "mk_a")))
            }
            #expect(try await world.store.managementKeys() == [key("mk_a", world)])
        },
        ContractRule("A revoked key ends with all that it created, directly or not, and creates no more") {
            world async throws in
            for (id, creator) in [("mk_a", nil), ("mk_b", "mk_a"), ("mk_c", "mk_b"), ("mk_d", nil)] {
                try await world.write(.insertManagementKey(key(id, world, by: creator)))
            }
            #expect(try await world.store.perform(RevokeManagementKey(id: "mk_a")) == ["mk_a", "mk_b", "mk_c"])
            #expect(try await world.store.perform(RevokeManagementKey(id: "mk_a")) == [])
            #expect(try await world.store.managementKeys().map(\.id) == ["mk_d"])
            let late = InsertManagementKey(key("mk_e", world, by: "mk_b"), creatorID: "mk_b")
            try await world.store.expect(late, is: .creatorInvalid)
        },
        // Proves: G3
        ContractRule("Of many keys that are created while their creator is revoked, none survives") {
            world async throws in
            try await world.write(.insertManagementKey(key("mk_a", world)))
            _ = try await concurrently(16) { index in
                if index == 8 { _ = try await world.store.perform(RevokeManagementKey(id: "mk_a")) }
                let new = key("mk_child\(index)", world, by: "mk_a")
                _ = try await world.store.perform(InsertManagementKey(new, creatorID: "mk_a"))
            }
            #expect(try await world.store.managementKeys() == [])
        },
        ContractRule("Of many keys that are created at once, the maximum of the app is stored") { world async throws in
            for index in 0..<95 { try await world.write(.insertManagementKey(key("mk_\(index)", world))) }
            let outcomes = try await concurrently(16) { index in
                try await world.store.perform(InsertManagementKey(key("mk_new\(index)", world)))
            }
            #expect(outcomes.count { $0 == .tooMany } == 11)
            #expect(try await world.store.managementKeys().count == ManagementKey.maximumPerApp)
        },
        ContractRule("A rotated key passes the keys that it created to its successor") { world async throws in
            let old = key("mk_a", world)
            for key in [old, key("mk_b", world, by: "mk_a"), key("mk_c", world, by: "mk_b")] {
                try await world.write(.insertManagementKey(key))
            }
            let rotation = RotateManagementKey(
                id: "mk_a", app: world.app, newID: "mk_z", newHash: "new", creator: old, now: world.now)
            _ = try await world.store.perform(rotation)
            let creators = try await world.store.managementKeys().map { [$0.id, $0.createdBy?.rawValue] }
            #expect(creators == [["mk_b", "mk_z"], ["mk_c", "mk_b"], ["mk_z", nil]])
            #expect(try await world.store.managementKey(hash: "mk_a") == nil)
        },
        ContractRule("The last use of a key is written if it is later, and for an existing key only") {
            world async throws in
            try await world.write(.insertManagementKey(key("mk_a", world)))
            for seconds in [5, 3] {
                let uses = ["mk_a": world.now + seconds, "mk_gone": world.now + seconds]
                try await world.store.perform(RecordManagementKeyUses(uses))
                #expect(try await world.store.managementKeys().map(\.lastUsedAt) == [world.now + 5])
            }
        },
    ]

    private static func key(
        _ id: String, _ world: ContractWorld, by creator: String? = nil, hash: String? = nil
    ) -> ManagementKey {
        ManagementKey(
            id: id, name: "k", appID: world.app, hash: hash ?? id, createdBy: creator.map { .key($0) },
            createdAt: world.now)
    }
}

extension IntentStore {
    fileprivate func expect(_ intent: InsertManagementKey, is expected: ManagementKeyCreation) async throws {
        #expect(try await perform(intent) == expected)
    }
}
