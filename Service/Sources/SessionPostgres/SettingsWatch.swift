internal import Foundation
internal import SessionDomain
internal import SessionSQL
internal import Synchronization

/// Notices changes of settings, on a connection and a thread of its own.
///
/// A notification only ends the pause between two readings of the revision. So no notification has to arrive: a change is
/// also noticed at the next reading, and at the first one of a new connection.
struct SettingsWatch {
    /// How a watch passes its time.
    struct Timing: Sendable {
        /// Milliseconds between two readings without a notification.
        var interval = 1000
        /// Whether the watch asks for notifications.
        var listens = true
        /// Milliseconds on a clock that never jumps.
        var uptime: @Sendable () -> Int64 = WorkerClock.live.uptime
        /// Waits for some milliseconds before the next attempt to connect.
        var pause: @Sendable (Int) -> Void = { Thread.sleep(forTimeInterval: Double($0) / 1000) }
    }

    /// Milliseconds before the first attempts to connect again. The last one is that of all further attempts.
    static let delays = [50, 100, 200, 400, 800, 1600]

    private let timing: Timing
    private let connect: () throws(PostgresFailure) -> PostgresConnection
    private let report: () -> Void
    private var known: Int64?
    private var failures = 0

    /// - Parameter report: Called for each new revision, and for the first one.
    init(
        timing: Timing, connect: @escaping () throws(PostgresFailure) -> PostgresConnection,
        report: @escaping () -> Void
    ) {
        self.timing = timing
        self.connect = connect
        self.report = report
    }

    /// Watches, and connects again when the connection is lost.
    mutating func run(until isEnded: () -> Bool) {
        while !isEnded() {
            do {
                try follow(try connect(), until: isEnded)
            } catch {
                timing.pause(Self.delays[min(failures, Self.delays.count - 1)])
                failures += 1
            }
        }
    }

    private mutating func follow(_ connection: PostgresConnection, until isEnded: () -> Bool) throws {
        // A pooler would leave the server connection, which others get next, listening.
        if timing.listens, connection.pooledSettings == nil {
            do { try connection.listen(to: SettingsRevision.channel) } catch {
                // The server has no notifications.
                guard error.kind == .rejected else { throw error }
            }
        }
        while !isEnded() {
            let revision: Int64? = try connection.run([SettingsRevision.current])[0].first { try $0.next() }
            failures = 0
            connection.noteAnswer(timing.uptime())
            if revision != known { report() }
            known = revision
            try connection.awaitNotification(atMost: timing.interval)
        }
    }
}

extension PostgresStore {
    /// The name of the connection in `pg_stat_activity`.
    static let watchName = "prelude-session settings"

    package func settingsChanges() -> AsyncStream<Void>? { settingsChanges(.init()) }

    func settingsChanges(_ timing: SettingsWatch.Timing) -> AsyncStream<Void> {
        // A server that does not answer in two seconds counts as lost.
        let (server, history) = (PostgresServer(location: server.location, patience: 2000), history)
        // One change that waits stands for all of them.
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let isEnded = Ending()
        continuation.onTermination = { _ in isEnded.end() }
        Thread.detachNewThread {
            var watch = SettingsWatch(
                timing: timing,
                connect: { () throws(PostgresFailure) in
                    try server.connect(for: Self.watchName, with: history, at: timing.uptime())
                },
                report: { continuation.yield() })
            watch.run { isEnded.isEnded }
        }
        return changes
    }
}

/// Whether the caller of a watch has ended it. The thread notices it at its next reading.
private final class Ending: Sendable {
    private let value = Mutex(false)

    var isEnded: Bool { value.withLock { $0 } }

    func end() { value.withLock { $0 = true } }
}

/// The number that grows with each change of apps or their keys. It tells nodes that what they have cached is outdated.
struct SettingsRevision: Sendable {
    /// The channel of the notifications. Those of other services on the same database are received, too, and harmless.
    static let channel = "prelude_session_settings"

    static let current = Statement("SELECT revision FROM settings_revision WHERE id = 1")

    /// Increases the revision, and notifies other nodes when the transaction commits.
    let increase: Statement

    /// - Parameter notifies: Whether the server has notifications. Without them, nodes only read the revision.
    init(notifies: Bool) {
        let update = "UPDATE settings_revision SET revision = revision + 1 WHERE id = 1"
        increase = Statement(
            notifies
                ? "WITH increased AS (\(update) RETURNING 1) SELECT pg_notify('\(Self.channel)', '') FROM increased"
                : update)
    }

    /// Finds out whether the server has notifications. Some engines that speak the protocol of PostgreSQL do not.
    init(_ connection: PostgresConnection) throws {
        let functions = try connection.run([Statement("SELECT count(*) FROM pg_proc WHERE proname = 'pg_notify'")])
        let count: Int = try functions[0].first { try $0.next() } ?? 0
        self.init(notifies: count > 0)
    }
}

extension Change {
    /// Whether nodes have cached what it changes (`AppDirectory`).
    var changesSettings: Bool {
        switch self {
        case .insertApp, .replaceApp, .insertSigningKey, .replaceSigningKey, .deleteSigningKey: true
        default: false
        }
    }
}
