internal import SessionDomain
internal import Synchronization

/// The newest primary that this process has seen. Connections to an older one are refused, because its rows are old.
///
/// A server that is promoted begins a new timeline, with a higher number. The primary before it may still accept connections,
/// such as after a stop of its machine, and does not know what was written since.
@available(service, *)
final class PrimaryHistory: Sendable {
    private struct State {
        var newest: Timeline?
        /// When an older primary was refused, in milliseconds of uptime, and no newer one was found since.
        var refusedSince: Int64?
    }

    /// Milliseconds after which an older primary is accepted, if no newer one can be found. By then, the manager of the servers
    /// has decided that it is the primary.
    static let patience: Int64 = 60_000

    private let state = Mutex(State())

    /// Decides whether a server that accepts writes may be used.
    ///
    /// - Parameter now: Milliseconds on a clock that never jumps.
    func accepts(_ timeline: Timeline, at now: Int64) -> Bool {
        state.withLock { state in
            if let newest = state.newest, timeline.isBefore(newest) {
                let since = state.refusedSince ?? now
                state.refusedSince = since
                guard now >= since + Self.patience else { return false }
            }
            state = State(newest: timeline)
            return true
        }
    }

    /// Whether a server that was accepted has been replaced since.
    func isReplaced(_ timeline: Timeline) -> Bool {
        state.withLock { $0.newest.map(timeline.isBefore) ?? false }
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
    var timeline: Timeline? {
        guard pooledSettings == nil else { return nil }
        let query = "SELECT system_identifier::text, pg_walfile_name(pg_current_wal_lsn()) FROM pg_control_system()"
        guard let rows = try? run([Statement(query)])[0],
            let (system, file) = try? rows.first({ (try $0.next() as String, try $0.next() as String) }),
            // The name of a file of the WAL begins with the timeline, as 8 hexadecimal digits.
            let number = Int(file.prefix(8), radix: 16)
        else { return nil }
        return Timeline(system: system, number: number)
    }
}

@available(service, *)
extension PostgresServer {
    /// Connects to the newest primary of the hosts in the URL.
    ///
    /// - Parameter now: Milliseconds on a clock that never jumps.
    func connect(
        for purpose: String = "prelude-session", with history: PrimaryHistory, at now: Int64
    ) throws(PostgresFailure) -> PostgresConnection {
        var server = self
        for _ in 0..<location.hostCount {
            let connection = try server.connect(for: purpose)
            guard let timeline = connection.timeline else { return connection }
            if history.accepts(timeline, at: now) {
                connection.isReplaced = { history.isReplaced(timeline) }
                return connection
            }
            // libpq uses the first host that accepts writes.
            server.location = server.location.withFirstHostLast
        }
        throw PostgresFailure(
            .disconnected,
            "PostgreSQL answers from a primary that another one has replaced, and the new one cannot be reached")
    }
}
