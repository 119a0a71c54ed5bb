internal import GRDB
internal import Synchronization

/// Counts the commits of a connection, and makes them fail on demand in SQLite's commit hook.
final class CommitObserver: TransactionObserver, Sendable {
    struct CommitRefused: Error {}

    private let state = Mutex((commits: 0, refuses: false))

    var commits: Int { state.withLock(\.commits) }

    func refuseCommits(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidRollback(_ db: Database) {}
    func databaseDidCommit(_ db: Database) { state.withLock { $0.commits += 1 } }

    func databaseWillCommit() throws {
        if state.withLock(\.refuses) { throw CommitRefused() }
    }
}
