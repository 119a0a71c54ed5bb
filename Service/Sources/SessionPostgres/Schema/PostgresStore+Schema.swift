package import SessionDomain

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
