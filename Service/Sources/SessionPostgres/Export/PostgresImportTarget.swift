package import SessionDomain
internal import SessionSQL

/// A database that an import fills. Until `finish`, it has a marker, and `PostgresStore.open` refuses it.
package final class PostgresImportTarget: ImportTarget {
    private let connection: PostgresConnection
    /// How the rows of the table that was asked for last are written.
    private var form: (table: ExportedTable, form: PostgresExportForm)?

    package init(_ location: PostgresLocation) throws(StoreError) {
        connection = try .forExport(location)
    }

    package func begin(at start: ImportPlace) throws -> ImportPlace {
        try explained {
            let migrator = Migrator(connection: connection)
            // Creates nothing in a database of another program.
            if try migrator.version() == 0 { try Partitioning.of(connection)?.check(connection) }
            try migrator.createLedger()
            do {
                let place = try begin(at: start, schema: try migrator.beginAlone())
                try connection.run([.commit])
                return place
            } catch {
                _ = try? connection.run([.rollback])
                throw error
            }
        }
    }

    /// - Parameter schema: That of the target, which is locked.
    private func begin(at start: ImportPlace, schema: Int) throws -> ImportPlace {
        if try ImportMarker.exists(in: connection) {
            let found = try connection.run([ImportMarker.selection])[0].first {
                ImportPlace(lines: try $0.next(), sha256: try $0.next())
            }
            guard let found else { throw ImportError.otherFile }
            try Migration.check(schema)
            return found
        }
        guard schema == 0 else { throw ImportError.notEmpty }
        // All tables and the marker at once. A service that starts now waits for the lock, and finds the marker then.
        try connection.run(
            Migration.creation(try Partitioning.of(connection))
                + [Migration.needingCopiedProofs, ImportMarker.creation, ImportMarker.insertion(start)])
        return start
    }

    private func form(of table: ExportedTable) throws -> PostgresExportForm {
        if let form, form.table == table { return form.form }
        let found = try PostgresExportForm(table, in: connection)
        form = (table, found)
        return found
    }

    package func columns(of table: ExportedTable) throws -> [String: ExportedKind] {
        try explained {
            let columns = try form(of: table).columns
            return Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.kind) })
        }
    }

    package func append(
        _ rows: [ExportedRow], to table: ExportedTable, from place: ImportPlace, to next: ImportPlace
    ) throws {
        try explained {
            let form = try form(of: table)
            do {
                try connection.run([
                    .begin, ImportMarker.update(from: place, to: next), form.insertion(of: rows), .commit,
                ])
            } catch {
                _ = try? connection.run([.rollback])
                if let failure = error as? PostgresFailure, failure.isOfCaller, failure.kind != .refused(.stale) {
                    try refuseFirst(of: rows, form)
                }
                throw error
            }
        }
    }

    /// Finds the row that the server refuses, by writing one after the other in a transaction that does not commit.
    ///
    /// - Throws: `ImportError.unstorable`.
    private func refuseFirst(of rows: [ExportedRow], _ form: PostgresExportForm) throws {
        try connection.run([.begin])
        defer { _ = try? connection.run([.rollback]) }
        for (index, row) in rows.enumerated() {
            do {
                try connection.run([form.insertion(of: [row])])
            } catch {
                throw ImportError.unstorable(index: index, error.reason)
            }
        }
    }

    package func finish() throws {
        try explained {
            let targets = try ExportedTable.all.map { try PostgresExportForm($0, in: connection).target }
            try connection.run(targets.map { Statement("ANALYZE \($0)") })
            try connection.run([ImportMarker.deletion])
        }
    }

    package func count(_ table: ExportedTable) throws -> Int {
        try reading { try $0.count(table) }
    }

    package func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws {
        try reading { try $0.read(table, receive) }
    }

    private func reading<Answer>(_ work: (PostgresRowReader) throws -> Answer) throws -> Answer {
        try explained {
            try connection.run([.beginReading])
            do {
                let answer = try work(PostgresRowReader(connection: connection))
                try connection.run([.commit])
                return answer
            } catch {
                _ = try? connection.run([.rollback])
                throw error
            }
        }
    }

    /// The connection ends with this object.
    package func close() {}
}

/// The table of one row that a database has while an import is unfinished.
enum ImportMarker {
    static let table = "prelude_session_import"

    static let creation = Statement("CREATE TABLE \(table) (lines BIGINT NOT NULL, sha256 TEXT NOT NULL)")

    static let deletion = Statement("DROP TABLE \(table)")

    static func insertion(_ place: ImportPlace) -> Statement {
        Statement("INSERT INTO \(table) VALUES ($1, $2)", [place.lines, place.sha256])
    }

    /// Waits for the transaction of an import that was killed.
    static let selection = Statement("SELECT lines, sha256 FROM \(table) FOR UPDATE")

    static func update(from place: ImportPlace, to next: ImportPlace) -> Statement {
        .guarded(
            "UPDATE \(table) SET lines = $1, sha256 = $2 WHERE lines = $3 AND sha256 = $4",
            [next.lines, next.sha256, place.lines, place.sha256], orFail: .stale)
    }

    static func exists(in connection: PostgresConnection) throws -> Bool {
        try connection.run([Statement("SELECT to_regclass('\(table)') IS NOT NULL")])[0].first { try $0.next() }
            ?? false
    }

    /// - Throws: `StoreError.unfinishedImport` if the database has the table.
    static func refuse(in connection: PostgresConnection) throws {
        if try exists(in: connection) { throw StoreError.unfinishedImport }
    }
}
