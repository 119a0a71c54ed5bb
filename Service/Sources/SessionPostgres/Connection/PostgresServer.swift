internal import SessionDomain
internal import SessionSQL
internal import Synchronization

/// A server, and how to connect to it.
struct PostgresServer: Sendable {
    var location: PostgresLocation
    /// Milliseconds that the server may take for a pipeline. Later the connection counts as lost.
    var patience = 10_000
    /// Whether statements and waits for locks may take as long as they take.
    var isUnhurried = false

    /// Connects, and sets what the store relies on.
    ///
    /// - Parameter purpose: What the server shows as `application_name`, unless the URL names another one.
    func connect(for purpose: String = "prelude-session") throws(PostgresFailure) -> PostgresConnection {
        let defaults = [
            "connect_timeout": "5", "fallback_application_name": purpose,
            "target_session_attrs": "read-write", "keepalives_idle": "10", "tcp_user_timeout": "\(patience)",
        ]
        var parameters = location.parameters.merging(defaults) { own, _ in own }
        // Texts are UTF-8. With another encoding, the server would store other characters.
        parameters["client_encoding"] = "UTF8"
        let connection = try PostgresConnection(
            parameters.map { ($0.key, $0.value) }, patience: patience, pooledSettings: settings(areLocal: true))
        guard ["UTF8", nil].contains(connection.serverEncoding) else {
            throw PostgresFailure(
                .rejected,
                "the database has the encoding \(connection.serverEncoding ?? ""), which lacks characters or checks none. "
                    + "Create it with the encoding UTF8")
        }
        if let problem = connection.serverVersion.flatMap(Self.problem(ofVersion:)) {
            throw PostgresFailure(.rejected, problem)
        }
        if try !connection.keep(settings(areLocal: false)) { try requireTransactions(of: connection) }
        return connection
    }

    /// What an operator must change in the server, one line each: settings with which it loses answered writes when its
    /// machine fails.
    static func risks(of connection: PostgresConnection) throws -> [String] {
        let query =
            "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY 1"
        return try connection.run([Statement(query)])[0].all { try $0.next() as String }.map { name in
            "PostgreSQL has \(name) = off: it loses data, or all of it, when its machine fails. Set it to on"
        }
    }

    /// Why this version of PostgreSQL cannot be used. `nil`: it can, or it is another engine, which names the version that it
    /// resembles.
    ///
    /// - Parameter text: The parameter `server_version`, such as `15.8 (Debian 15.8-0+deb12u1)`. From 10 on, a version of
    ///   PostgreSQL has two numbers.
    static func problem(ofVersion text: String) -> String? {
        let numbers = text.prefix { $0 != " " }.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard let major = numbers.first ?? nil, !numbers.contains(nil), numbers.count == 2 || major < 10,
            major < oldestVersion
        else { return nil }
        return "the server is PostgreSQL \(text), and this program needs \(oldestVersion) or later"
    }

    private static let oldestVersion = 14

    private func requireTransactions(of connection: PostgresConnection) throws(PostgresFailure) {
        do {
            _ = try connection.run([.begin])
            _ = try connection.run([.rollback])
        } catch {
            throw PostgresFailure(
                .rejected,
                "the connection pooler before PostgreSQL must keep a connection for a transaction, or for a session: "
                    + error.reason)
        }
    }

    /// - Parameter areLocal: Whether they end with the transaction.
    private func settings(areLocal: Bool) -> Statement {
        let timeouts = isUnhurried ? Self.unhurried : Self.timeouts
        let settings = (timeouts + Self.always).map { name, value in
            "set_config('\(name)', '\(value)', \(areLocal ? "TRUE" : "FALSE"))"
        }
        return Statement("SELECT \((settings + [Self.durable(areLocal)]).joined(separator: ", "))")
    }

    /// A lock that is not free in a moment is worth another attempt, after the jobs of others. A transaction that waits for this
    /// process for seconds belongs to a process that was stopped, and others wait for its locks.
    private static let timeouts = [
        ("lock_timeout", "100ms"), ("statement_timeout", "5s"), ("idle_in_transaction_session_timeout", "3s"),
    ]
    /// How long a transaction waits for a lock that was not free before.
    static let longLockWait = Statement("SELECT set_config('lock_timeout', '500ms', TRUE)")
    private static let unhurried = timeouts.map { name, _ in (name, "0") }
    /// A role or a database may have others.
    private static let always = [
        ("plan_cache_mode", "force_generic_plan"), ("bytea_output", "hex"), ("client_min_messages", "warning"),
        // A statement that row-level security would hide rows from fails. Otherwise sessions would seem ended.
        ("row_security", "off"),
    ]

    /// An answered write is on the disk, and on the standbys that `synchronous_standby_names` requires.
    private static func durable(_ isLocal: Bool) -> String {
        """
        set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') \
        THEN 'on' ELSE current_setting('synchronous_commit') END, \(isLocal ? "TRUE" : "FALSE"))
        """
    }
}

extension PostgresConnection {
    /// Reads rows in one snapshot. One statement is a snapshot without a transaction. Behind a pooler it needs one for the
    /// settings.
    func readSnapshot(_ statements: [Statement]) throws(PostgresFailure) -> [Rows] {
        guard statements.count > 1 || pooledSettings != nil else { return try run(statements) }
        do {
            return Array(try run([.beginReading] + statements + [.commit]).dropFirst().dropLast())
        } catch {
            if !error.isOfConnection { _ = try? run([.rollback]) }
            throw error
        }
    }

    /// Runs statements in one transaction, and commits. Repeats them if another transaction was in the way.
    ///
    /// - Throws: A lock that does not become free. The caller tries again when others had their turn.
    func change(_ statements: [Statement]) throws(PostgresFailure) -> [Rows] {
        for _ in 1..<GuardFailures.maximumAttempts {
            do {
                return try changeOnce(statements)
            } catch {
                guard error.kind == .conflict, !error.isOfLock else { throw error }
            }
        }
        return try changeOnce(statements)
    }

    private func changeOnce(_ statements: [Statement]) throws(PostgresFailure) -> [Rows] {
        do {
            return Array(try run([.begin] + statements + [.commit], commits: true).dropFirst().dropLast())
        } catch {
            if !error.isOfConnection { _ = try? run([.rollback]) }
            throw error
        }
    }
}

/// Whether refreshes that arrive together share a transaction.
///
/// On one server, a shared commit is cheaper. An engine that spreads the rows of users over machines must then commit on
/// several of them, so its operators switch it off.
enum SharedTransactions {
    /// A parameter of the server, which a database, a role or a URL can set: `on` or `off`.
    static let setting = "prelude_session.shared_transactions"

    /// The setting of the database of a connection. `on` if there is none.
    static func areOn(_ connection: PostgresConnection) throws -> Bool {
        let rows = try connection.run([Statement("SELECT coalesce(current_setting($1, TRUE), '')", [setting])])
        return try isOn(try rows.first?.first { try $0.next() } ?? "")
    }

    /// - Throws: `StoreError.unavailable` for a text that is neither.
    static func isOn(_ text: String) throws(StoreError) -> Bool {
        switch text {
        case "", "on": return true
        case "off": return false
        default: throw .unavailable("\(setting) must be on or off")
        }
    }
}

/// The primary that this process uses: the newest one that it has seen. Connections to an older one are refused, because its
/// rows are old.
///
/// A server that is promoted begins a new timeline, with a higher number. The primary before it may still accept connections,
/// such as after a stop of its machine, and does not know what was written since.
final class PrimaryHistory: Sendable {
    /// Times are milliseconds on a clock that never jumps.
    private struct State {
        var current: Timeline?
        /// When the primary has answered last.
        var answeredAt: Int64 = 0
        /// The attempts that found an older primary only, since the first of them.
        var refused: ClosedRange<Int64>?
    }

    /// Milliseconds after which an older primary is accepted, if the newer one answers no connection of this process and cannot
    /// be found. By then, the manager of the servers has decided that the older one is the primary.
    static let patience: Int64 = 60_000
    /// Milliseconds between two attempts that belong together. After a longer pause, the newer primary may be back.
    static let pause: Int64 = 15_000

    private let state = Mutex(State())

    /// Whether a server that accepts writes may be used: it is the primary of this process, or a newer one.
    func accepts(_ timeline: Timeline, at now: Int64) -> Bool {
        state.withLock { state in
            if let current = state.current, timeline.isBefore(current) { return false }
            state = State(current: timeline, answeredAt: now)
            return true
        }
    }

    /// Whether a server that accepts writes may be used, after all hosts were tried and no other one was accepted.
    func returns(to timeline: Timeline, at now: Int64) -> Bool {
        state.withLock { state in
            let first = state.refused.flatMap { now <= $0.upperBound + Self.pause ? $0.lowerBound : nil } ?? now
            state.refused = first...max(first, now)
            guard now >= max(first, state.answeredAt) + Self.patience else { return false }
            state = State(current: timeline, answeredAt: now)
            return true
        }
    }

    /// Notes that a server has answered on an open connection.
    func answered(_ timeline: Timeline, at now: Int64) {
        state.withLock { state in
            if state.current == timeline { state.answeredAt = max(state.answeredAt, now) }
        }
    }

    /// Whether this process uses another primary of the same servers. So it never uses two of them at a time.
    func isReplaced(_ timeline: Timeline) -> Bool {
        state.withLock { $0.current.map { $0.system == timeline.system && $0 != timeline } ?? false }
    }
}

/// Where the rows of a server come from.
struct Timeline: Sendable, Equatable {
    /// The identifier that `initdb` has given. Copies of the server have the same one.
    let system: String
    /// How often a server with this identifier was promoted, plus one.
    let number: Int

    func isBefore(_ other: Timeline) -> Bool { system == other.system && number < other.number }
}

extension PostgresConnection {
    /// `nil`: a pooler is between, which may use another server for each transaction, or the engine has no timelines.
    ///
    /// - Throws: `.disconnected` if the server does not answer the question now.
    func timeline() throws(PostgresFailure) -> Timeline? {
        guard pooledSettings == nil else { return nil }
        let query = "SELECT system_identifier::text, pg_walfile_name(pg_current_wal_lsn()) FROM pg_control_system()"
        let rows: [Rows]
        do { rows = try run([Statement(query)]) } catch {
            if error.isOfEngine { return nil }
            throw PostgresFailure(.disconnected, error.reason)
        }
        guard let (system, file) = try? rows[0].first({ (try $0.next() as String, try $0.next() as String) }),
            // The name of a file of the WAL begins with the timeline, as 8 hexadecimal digits.
            let number = Int(file.prefix(8), radix: 16)
        else { return nil }
        return Timeline(system: system, number: number)
    }
}

extension PostgresServer {
    /// Connects to the newest primary of the hosts in the URL.
    ///
    /// - Parameter now: Milliseconds on a clock that never jumps.
    func connect(
        for purpose: String = "prelude-session", with history: PrimaryHistory, at now: Int64
    ) throws(PostgresFailure) -> PostgresConnection {
        var server = self
        var older: (connection: PostgresConnection, timeline: Timeline)?
        for _ in 0..<location.hostCount {
            let connection = try server.connect(for: purpose)
            guard let timeline = try connection.timeline() else { return connection }
            if history.accepts(timeline, at: now) { return connection.using(timeline, of: history) }
            older = older ?? (connection, timeline)
            // libpq uses the first host that accepts writes.
            server.location = server.location.withFirstHostLast
        }
        if let older, history.returns(to: older.timeline, at: now) {
            return older.connection.using(older.timeline, of: history)
        }
        throw PostgresFailure(
            .disconnected,
            "PostgreSQL answers from a primary that another one has replaced, and the new one cannot be reached")
    }
}
