package import SessionDomain

/// A database that is exported, in one transaction. Services may use it.
package final class PostgresExportSource: ExportSource {
    private let connection: PostgresConnection

    /// - Throws: `StoreError.olderSchema`, `.newerSchema`, `.unfinishedImport`.
    package init(_ location: PostgresLocation) throws {
        let connection = try PostgresConnection.forExport(location)
        self.connection = connection
        try explained {
            try ImportMarker.refuse(in: connection)
            try Migration.check(try Migrator(connection: connection).version())
            try connection.run([.beginReading])
        }
    }

    /// By connections that have the name which `PostgresServer` gives them, or a longer one, as `PostgresStore.watchName`.
    /// Behind a pooler, it can be that of any of them.
    package func isInUse() throws -> Bool {
        try explained {
            try connection.run([
                Statement(
                    """
                    SELECT count(*) > 0 FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                        AND starts_with(application_name, current_setting('application_name'))
                    """)
            ])[0].first { try $0.next() } ?? false
        }
    }

    package func count(_ table: ExportedTable) throws -> Int {
        try explained { try PostgresRowReader(connection: connection).count(table) }
    }

    package func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws {
        try explained { try PostgresRowReader(connection: connection).read(table, receive) }
    }

    /// The connection ends with this object, and its transaction with it.
    package func close() {}
}
