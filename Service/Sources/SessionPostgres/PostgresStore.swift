internal import Foundation
package import SessionDomain
package import SessionSQL

/// The store for several nodes: a PostgreSQL server, and a pool of connections to it.
///
/// `Intents` has the writes. The other folders have the rows of one noun each, with their reads.
package final class PostgresStore: Sendable {
    /// The schema version before opening, 0 for a new database, and the version now.
    package let schema: (found: Int, now: Int)
    /// What an operator must change, one line each.
    package let warnings: [String]
    /// What the transactions have shown.
    package let health: StoreHealth
    let observer: any ServiceObserver
    private let pool: ConnectionPool
    private let sharesTransactions: Bool
    let server: PostgresServer
    let history = PrimaryHistory()
    private let revision: SettingsRevision

    /// The schema of this version.
    package static let supportedSchema = Migration.supported

    /// Connects, and migrates if `opening` allows it.
    ///
    /// - Parameters:
    ///   - opening: Whether tables are created and an older schema migrated.
    ///   - health: Learns how each transaction ends.
    ///   - observer: Receives commits and what they mean.
    ///   - handover: How writes and their responses change threads.
    /// - Throws: `StoreError.newerSchema` for a database of a newer version of the software; `StoreError.olderSchema` if
    ///   `opening` does not allow to change that; `StoreError.unavailable` if the server rejects the connection.
    package static func open(
        _ location: PostgresLocation, opening: OpenMode = .migrating, options: PoolOptions = PoolOptions(),
        health: StoreHealth = StoreHealth(), observer: any ServiceObserver = NoObserver(),
        handover: any Handover = DirectHandover()
    ) throws(StoreError) -> PostgresStore {
        let server = PostgresServer(location: location)
        do {
            // A migration takes as long as it takes.
            let patient = PostgresServer(location: location, patience: 24 * 3_600_000, isUnhurried: true)
            let connection = try patient.connect()
            let schema = try Migrator(connection: connection).migrate(opening)
            let warnings = try PostgresServer.risks(of: connection)
            var options = options
            options.sharesTransactions = try SharedTransactions.areOn(connection)
            return PostgresStore(
                server: server, schema: schema, revision: try SettingsRevision(connection), warnings: warnings,
                options: options, health: health, observer: observer, handover: handover)
        } catch {
            throw StoreError(error)
        }
    }

    private init(
        server: PostgresServer, schema: (found: Int, now: Int), revision: SettingsRevision, warnings: [String],
        options: PoolOptions, health: StoreHealth, observer: any ServiceObserver, handover: any Handover
    ) {
        self.server = server
        self.revision = revision
        self.schema = schema
        self.warnings = warnings
        self.health = health
        self.observer = observer
        sharesTransactions = options.sharesTransactions
        pool = ConnectionPool(options, observer: observer, handover: handover) { [history] pool in
            let clock = WorkerClock.live
            let worker = ConnectionWorker(
                connect: { () throws(PostgresFailure) in try server.connect(with: history, at: clock.uptime()) },
                options: options, health: health, observer: observer, handover: handover, clock: clock,
                connected: pool.connected, waiting: { pool.waitingCount })
            worker.work(for: pool)
        }
    }

    /// Finishes the accepted work, rejects further work, and closes the connections. Closing twice is no error.
    package func close() async { await pool.close() }

    /// Reads committed rows, in one snapshot.
    ///
    /// - Parameter read: Reads the rows of each statement, in their order.
    package func read<Answer: Sendable>(
        _ statements: [Statement], _ read: @escaping @Sendable ([any StoredRows]) throws -> Answer
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            pool.enqueue(
                PoolJob(
                    queuedAt: observer.instant(),
                    work: .read { [health] connection throws(PostgresFailure) in
                        let rows = try connection.readSnapshot(statements)
                        let result = Result { try read(rows) }.mapError { error -> any Error in
                            let error = StoreError(error)
                            health.failed(error)
                            return error
                        }
                        return { continuation.resume(with: result) }
                    }, sharingKey: nil, fail: { continuation.resume(throwing: $0) }, span: nil))
        }
    }

    /// Runs an intent in one transaction.
    func write<I: Intent>(_ intent: I) async throws -> IntentAttempt<I>.Answer {
        try await observer.trace(.commit) { span in
            try await withCheckedThrowingContinuation { continuation in
                pool.enqueue(
                    PoolJob(
                        queuedAt: observer.instant(),
                        work: .intent { [revision] in
                            IntentAttempt(intent, revision: revision) { continuation.resume(with: $0) }
                        },
                        sharingKey: sharesTransactions ? intent.reads.query.sharingKey : nil,
                        fail: { continuation.resume(throwing: $0) }, span: span))
            }
        }
    }

    /// Runs statements in one transaction.
    func change<Answer: Sendable>(
        _ statements: [Statement], _ read: @escaping @Sendable ([Rows]) throws -> Answer
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            pool.enqueue(
                PoolJob(
                    queuedAt: observer.instant(),
                    work: .read { connection throws(PostgresFailure) in
                        let rows = try connection.change(statements)
                        let result = Result { try read(rows) }
                        return { continuation.resume(with: result) }
                    }, sharingKey: nil, fail: { continuation.resume(throwing: $0) }, span: nil))
        }
    }

    /// Writes a row and changes nothing, to find out whether writes work.
    package func checkWriting() async throws {
        try await change([Statement("UPDATE prelude_session SET schema = schema WHERE id = 1")]) { _ in }
        health.committed()
    }
}

extension PostgresStore: IntentStore {
    package func perform<I: Intent>(_ intent: I) async throws -> I.Outcome {
        try await observer.trace(.intent(I.self)) { _ in
            let (outcome, occurrences) = try await write(intent)
            // On the task of the caller, so that an observer knows the request.
            for occurrence in occurrences { observer.observe(occurrence) }
            return outcome
        }
    }
}

extension FactQuery {
    /// Intents that only read the user, and change one session, can share a transaction if these sessions differ.
    fileprivate var sharingKey: String? {
        guard shared.contains(.user), case .id(let id)? = session, let app else { return nil }
        return "\(app.rawValue)/\(id)"
    }
}

extension PostgresStore: HousekeepingStore {
    /// The tables whose rows expire, with their key and the column of the time.
    private static let expiring = [
        (table: "proofs", key: "app_id, replay_key", expiry: "expires_at"),
        (table: "copied_proofs", key: "app_id, key", expiry: "expires_at"),
        (table: "challenges", key: "app_id, id", expiry: "expires_at"),
        (table: "grants", key: "app_id, user_id, id", expiry: "expires_at"),
        (table: "counters", key: "app_id, key", expiry: "resets_at"),
    ]

    package func deleteExpired(now: Timestamp, limit: Int) async throws -> Int {
        let expired = Self.expiring.map { Self.deletion(from: $0.table, $0.key, by: $0.expiry, until: now, limit) }
        let others = [
            Self.deletion(
                from: "verifications", "app_id, token_hash", by: "code_expires_at", until: now - Retention.expiredCodes,
                limit),
            Self.deletion(from: "sessions", "app_id, id", by: "purge_hour", until: now.hour, limit),
            Self.deletion(
                from: "messages", "app_id, id", by: "expires_at", "AND status <> 'pending'", until: now, limit),
        ]
        return try await change([ReplayMemory.deletion(until: now, limit: limit)] + expired + others) { rows in
            try rows.reduce(0) { try $0 + ($1.first { try $0.next() } ?? 0) }
        }
    }

    package func deleteEvents(
        of app: AppID, until: Timestamp, pendingUntil: Timestamp, limit: Int
    ) async throws -> Int {
        let deletion = Statement(
            """
            WITH chosen AS MATERIALIZED (
                SELECT id FROM events
                WHERE app_id = $1 AND created_at <= $2 AND (
                    created_at <= $3 OR NOT EXISTS (
                        SELECT 1 FROM webhook_deliveries AS delivery
                        WHERE delivery.app_id = events.app_id AND delivery.event_id = events.id
                            AND delivery.status = 'pending'))
                ORDER BY created_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
            DELETE FROM events WHERE app_id = $1 AND id IN (SELECT id FROM chosen)
            """, [app, until, pendingUntil])
        return try await change([deletion]) { $0[0].changed }
    }

    /// Deletes rows that no other node deletes or uses now, and counts them. They are chosen first: a sub-select with a limit
    /// may run several times.
    ///
    /// The order and the number in the text make the planner use the index of the expiry. It knows no values, so it expects
    /// that a third of the rows has expired, and that a limit is a tenth of the rows.
    private static func deletion(
        from table: String, _ key: String, by expiry: String, _ condition: String = "",
        until bound: any ColumnValue, _ limit: Int
    ) -> Statement {
        Statement(
            """
            WITH chosen AS MATERIALIZED (
                SELECT \(key) FROM \(table) WHERE \(expiry) <= $1 \(condition)
                ORDER BY \(expiry) LIMIT \(limit) FOR UPDATE SKIP LOCKED
            ), deleted AS (
                DELETE FROM \(table) WHERE (\(key)) IN (SELECT * FROM chosen) RETURNING 1)
            SELECT count(*) FROM deleted
            """, [bound])
    }
}
