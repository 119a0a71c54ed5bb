import SessionDomain
import SessionHTTP
import SessionPostgres
import SessionSQL
import SessionSQLite

/// A store that this process has opened, and closes at the end.
protocol OpenedStore: AppStore, EventStore, HousekeepingStore, LoginStore, ManagementKeyStore, MessageStore,
    PasskeyStore, SessionStore, StepUpStore, UserStore, WebhookStore
{
    /// The schema version before opening, 0 for a new database, and the version now.
    var schema: (found: Int, now: Int) { get }
    /// Whether the structure of a large file must be checked while the service runs.
    var isUnchecked: Bool { get }
    /// What an operator must change in the database server, one line each.
    var warnings: [String] { get }
    var health: StoreHealth { get }
    /// Bytes that this user can still write beside the database. `nil` if it is not on a disk of this machine.
    var freeBytes: Int64? { get }
    /// The size of the log of the database. `nil` if it is not a file of this machine.
    var logBytes: Int64? { get }

    func checkWriting() async throws
    func checkStructure() async throws
    func close() async throws
}

extension SQLiteStore: OpenedStore {
    var warnings: [String] { [] }
}

extension PostgresStore: OpenedStore {
    var freeBytes: Int64? { nil }
    var logBytes: Int64? { nil }
    var isUnchecked: Bool { false }

    func checkStructure() async throws {}
}

extension DatabaseLocation {
    /// The schema of this version, for this kind of database.
    var supportedSchema: Int {
        if case .server = self { PostgresStore.supportedSchema } else { SQLiteStore.supportedSchema }
    }

    /// Opens the database.
    ///
    /// - Parameter opening: Decides whether a missing database is created, and whether an older schema is migrated.
    func open(_ opening: OpenMode, environment: ServiceEnvironment) throws(StoreError) -> any OpenedStore {
        let health = StoreHealth(uptime: environment.uptime, observer: environment.observer)
        switch self {
        case .file(let path):
            return try SQLiteStore.open(
                .file(path), opening: opening, health: health, observer: environment.observer,
                handover: EventLoopHandover())
        case .memory:
            return try SQLiteStore.open(
                .memory, opening: opening, health: health, observer: environment.observer,
                handover: EventLoopHandover())
        case .server(let location):
            return try PostgresStore.open(
                location, opening: opening, health: health, observer: environment.observer,
                handover: EventLoopHandover())
        }
    }
}

extension EventLoopHandover: Handover {}
