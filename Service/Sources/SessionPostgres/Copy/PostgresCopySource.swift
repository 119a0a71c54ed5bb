package import SessionDomain

/// A database that a copy reads. Services must not use it meanwhile.
package final class PostgresCopySource: CopySource {
    private let connection: PostgresConnection

    /// - Throws: `StoreError.olderSchema`, `.newerSchema`, `.unfinishedCopy`; `CopyError.served` while services are connected.
    package init(_ location: PostgresLocation) throws {
        let connection = try PostgresConnection.forCopying(location)
        self.connection = connection
        try explained {
            try CopyMarker.refuse(in: connection)
            try Migration.check(try Migrator(connection: connection).version())
            try Self.checkIsUnused(connection)
        }
    }

    /// The server needs a moment to end the connections of a service that was stopped.
    private static func checkIsUnused(_ connection: PostgresConnection) throws {
        for attempt in 1... {
            let count: Int = try connection.run([services])[0].first { try $0.next() } ?? 0
            if count == 0 { return }
            guard attempt < attempts else { throw CopyError.served(count) }
            try connection.run([Statement("SELECT pg_sleep(0.1)")])
        }
    }

    private static let attempts = 20

    /// Connections that have the name which `PostgresServer` gives them, or a longer one, as `PostgresStore.watchName`. Behind
    /// a pooler, it can be that of any of them.
    private static let services = Statement(
        """
        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND starts_with(application_name, current_setting('application_name'))
        """)

    package func count(_ table: CopiedTable) throws -> Int {
        try explained { try PostgresCopyReader(connection: connection).count(table) }
    }

    package func read(_ table: CopiedTable, skipping skipped: Int, _ receive: (CopyLines) throws -> Void) throws {
        try explained { try PostgresCopyReader(connection: connection).read(table, skipping: skipped, receive) }
    }

    /// The connection ends with this object.
    package func close() {}
}
