internal import SessionDomain
internal import Synchronization

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
