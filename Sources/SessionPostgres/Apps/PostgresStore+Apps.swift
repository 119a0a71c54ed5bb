package import SessionDomain

@available(service, *)
extension PostgresStore: AppStore {
    package func apps() async throws -> [App] {
        try await read([Self.allApps]) { try $0[0].all(App.init(reading:)) }
    }

    private static let allApps = Statement("SELECT settings FROM apps ORDER BY created_at, id")

    package func app(_ id: AppID) async throws -> App? {
        try await read([Statement("SELECT settings FROM apps WHERE id = $1", [id])]) {
            try $0[0].first(App.init(reading:))
        }
    }

    package func signingKeys(of id: AppID) async throws -> [StoredSigningKey] {
        let keys = Statement(
            """
            SELECT \(StoredSigningKey.columns) FROM signing_keys WHERE app_id = $1 \(StoredSigningKey.lastToSignFirst)
            """, [id])
        return try await read([keys]) { try $0[0].all(StoredSigningKey.init(reading:)) }
    }

    /// The ids of the master keys that have sealed signing keys, and secrets in the settings of apps.
    package func sealingKeyIDs() async throws -> Set<String> {
        let ofSigningKeys = Statement(
            "SELECT DISTINCT convert_from(substr(sealed_private_key, 1, $1), 'UTF8') FROM signing_keys",
            [MasterKey.idLength])
        return try await read([ofSigningKeys, Self.allApps]) { rows in
            let ids: [String] = try rows[0].all { try $0.next() }
            return try rows[1].all(App.init(reading:)).compactMap(\.delivery?.sealingKeyIDs)
                .reduce(into: Set(ids)) { $0.formUnion($1) }
        }
    }
}
