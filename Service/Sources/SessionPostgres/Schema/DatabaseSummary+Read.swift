package import SessionDomain

extension DatabaseSummary {
    /// Finds in a database all that a start would find before it changes anything, and changes nothing. Nodes may use it.
    ///
    /// - Returns: No apps for a database without tables, whose schema is 0.
    /// - Throws: The error with which `PostgresStore.open` would fail.
    package static func read(from location: PostgresLocation) throws(StoreError) -> DatabaseSummary {
        do {
            let connection = try PostgresServer(location: location).connect()
            let migrator = Migrator(connection: connection)
            let schema = try migrator.checked(.migrating)
            let warnings = try PostgresServer.risks(of: connection)
            _ = try SharedTransactions.areOn(connection)
            guard schema > 0 else {
                return DatabaseSummary(schema: schema, apps: [], sealingKeyIDs: [], warnings: warnings)
            }
            let rows = try connection.readSnapshot(SealedSettings.all)
            return DatabaseSummary(
                schema: schema, apps: Set(try rows[1].all(App.init(reading:)).map(\.id)),
                sealingKeyIDs: try SealedSettings.keyIDs(rows), warnings: warnings)
        } catch {
            throw StoreError(error)
        }
    }
}

/// What master keys have sealed: signing keys, and secrets in the settings of apps.
enum SealedSettings {
    static let apps = Statement("SELECT settings FROM apps ORDER BY created_at, id")
    static let all = [
        Statement(
            "SELECT DISTINCT convert_from(substr(sealed_private_key, 1, $1), 'UTF8') FROM signing_keys",
            [MasterKey.idLength]),
        apps,
    ]

    /// The ids of the master keys.
    ///
    /// - Parameter rows: Those of all statements.
    static func keyIDs(_ rows: [Rows]) throws -> Set<String> {
        let ids: [String] = try rows[0].all { try $0.next() }
        return try rows[1].all(App.init(reading:)).compactMap(\.delivery?.sealingKeyIDs).reduce(into: Set(ids)) {
            $0.formUnion($1)
        }
    }
}
