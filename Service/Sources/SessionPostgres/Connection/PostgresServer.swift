internal import SessionDomain

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
