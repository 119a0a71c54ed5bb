package import SessionDomain

/// A database that a copy fills. Until `finish`, it has a marker, and `PostgresStore.open` refuses it.
package final class PostgresCopyTarget: CopyTarget {
    private let connection: PostgresConnection

    package init(_ location: PostgresLocation) throws(StoreError) {
        connection = try .forCopying(location)
    }

    package func begin(from source: String?) throws -> CopyPlace {
        guard let source else { throw CopyError.otherSource }
        return try begin(from: source)
    }

    private func begin(from source: String) throws -> CopyPlace {
        try explained {
            let migrator = Migrator(connection: connection)
            // Creates nothing in a database of another program.
            if try migrator.version() == 0 { try Partitioning.of(connection)?.check(connection) }
            try migrator.createLedger()
            do {
                let place = try begin(from: source, schema: try migrator.beginAlone())
                try connection.run([.commit])
                return place
            } catch {
                _ = try? connection.run([.rollback])
                throw error
            }
        }
    }

    /// - Parameter schema: That of the target, which is locked.
    private func begin(from source: String, schema: Int) throws -> CopyPlace {
        if try CopyMarker.exists(in: connection) {
            let found = try connection.run([CopyMarker.selection])[0].first {
                (source: try $0.next() as String, place: CopyPlace(table: try $0.next(), rows: try $0.next()))
            }
            guard let found, found.source == source else { throw CopyError.otherSource }
            try Migration.check(schema)
            return found.place
        }
        guard schema == 0 else { throw CopyError.notEmpty }
        // All tables and the marker at once. A service that starts now waits for the lock, and finds the marker then.
        try connection.run(
            Migration.creation(try Partitioning.of(connection))
                + [Migration.needingCopiedProofs, CopyMarker.creation, CopyMarker.insertion(source)])
        return .start
    }

    package func append(_ lines: CopyLines, to table: CopiedTable, from place: CopyPlace) throws {
        let before = place.table == table.name ? place.rows : 0
        let next = CopyPlace(table: table.name, rows: before + lines.rows)
        let columns = table.columns.map(\.name).joined(separator: ", ")
        try explained {
            do {
                try connection.run([.begin, CopyMarker.update(from: place, to: next)])
                try connection.copyIn("COPY \(PostgresCopyForm(table).target) (\(columns)) FROM STDIN", lines)
                try connection.run([.commit])
            } catch {
                _ = try? connection.run([.rollback])
                if let failure = error as? PostgresFailure, failure.isOfCaller, failure.kind != .refused(.stale) {
                    throw StoreError.unavailable("a row of \(table.name) cannot be stored: \(failure.reason)")
                }
                throw error
            }
        }
    }

    package func finish() throws {
        try explained {
            try connection.run(CopiedTable.all.map { Statement("ANALYZE \(PostgresCopyForm($0).target)") })
            try connection.run([CopyMarker.deletion])
        }
    }

    /// Checks that the tables of this version exist.
    package func checkSchema() throws {
        try explained {
            try CopyMarker.refuse(in: connection)
            try Migration.check(try Migrator(connection: connection).version())
        }
    }

    package func count(_ table: CopiedTable) throws -> Int {
        try explained { try PostgresCopyReader(connection: connection).count(table) }
    }

    package func read(_ table: CopiedTable, skipping skipped: Int, _ receive: (CopyLines) throws -> Void) throws {
        try explained { try PostgresCopyReader(connection: connection).read(table, skipping: skipped, receive) }
    }

    /// The connection ends with this object.
    package func close() {}
}
