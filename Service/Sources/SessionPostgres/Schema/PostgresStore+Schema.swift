package import SessionDomain
internal import SessionSQL

extension PostgresStore {
    /// Reads the schema of a database, and changes nothing. Other nodes may use it.
    package static func schema(of location: PostgresLocation) throws(StoreError) -> SchemaState {
        do {
            let connection = try PostgresServer(location: location).connect()
            try ImportMarker.refuse(in: connection)
            return try Migrator(connection: connection).state()
        } catch {
            throw StoreError(error)
        }
    }
}

extension Migrator {
    func state() throws -> SchemaState {
        let found = try version()
        let isUsable: Bool
        do {
            try checkUsable(found)
            isUsable = true
        } catch StoreError.newerSchema {
            isUsable = false
        }
        let ledger = found == 0 ? Migration.ledger : []
        let pending = try self.pending(after: found).enumerated().map { index, migration in
            SchemaState.Step(
                number: migration.number, name: migration.name,
                sql: ((index == 0 ? ledger : []) + migration.beginning
                    + migration.pipelines(try partitioning(of: migration)).flatMap(\.self)).map(\.sql)
            )
        }
        return SchemaState(found: found, supported: migrations.last?.number ?? 0, isUsable: isUsable, pending: pending)
    }
}

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
            let rows = try connection.readSnapshot(SealedSettings.statements(.postgres))
            return DatabaseSummary(
                schema: schema, apps: Set(try rows[1].all(App.init(reading:)).map(\.id)),
                sealingKeyIDs: try SealedSettings.keyIDs(rows), warnings: warnings)
        } catch {
            throw StoreError(error)
        }
    }
}
