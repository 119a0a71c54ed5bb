package import SessionDomain

extension PostgresStore: AppStore {
    package func apps() async throws -> [App] {
        try await read([SealedSettings.apps]) { try $0[0].all(App.init(reading:)) }
    }

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
        try await read(SealedSettings.all) { try SealedSettings.keyIDs($0) }
    }
}
