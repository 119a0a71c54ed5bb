package import SessionDomain

extension PostgresStore: ManagementKeyStore {
    package func managementKey(hash: String) async throws -> ManagementKey? {
        try await read([Statement("SELECT \(ManagementKey.columns) FROM management_keys WHERE hash = $1", [hash])]) {
            try $0[0].first(ManagementKey.init(reading:))
        }
    }

    package func managementKeys() async throws -> [ManagementKey] {
        try await read([Statement(ManagementKey.all)]) { try $0[0].all(ManagementKey.init(reading:)) }
    }
}
