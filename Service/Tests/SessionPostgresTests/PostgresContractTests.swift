internal import SessionDomain
internal import SessionStoreContract
internal import Testing

@Suite("PostgreSQL keeps the contract")
struct PostgresContractTests {
    @Test("The store keeps the rule", arguments: StoreContract.rules)
    func rule(rule: ContractRule) async throws {
        try await TestStores.withEmpty { store in
            try await rule.check(ContractWorld(store: store))
        }
    }

    @Test("This store is registered")
    func isRegistered() {
        #expect(StoreContract.backends.contains("PostgreSQL"))
    }
}
