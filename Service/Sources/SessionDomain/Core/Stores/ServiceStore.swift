/// Everything that the service needs of one database.
package typealias ServiceStore = AppStore & EventStore & HousekeepingStore & LoginStore & ManagementKeyStore
    & MessageStore & PasskeyStore & SessionStore & StepUpStore & UserStore & WebhookStore

/// Reads apps with their settings and keys.
package protocol AppStore: SigningKeyStore {
    /// All apps, oldest first.
    func apps() async throws -> [App]
    func app(_ id: AppID) async throws -> App?
    /// Yields when a process may have changed apps or their keys, this one included. `nil`: the store does not notice it.
    func settingsChanges() -> AsyncStream<Void>?
}

extension AppStore {
    package func settingsChanges() -> AsyncStream<Void>? { nil }
}

/// Reads the keys that sign tokens, hooks and webhooks.
package protocol SigningKeyStore: IntentStore {
    /// All keys of an app, the last to sign first.
    func signingKeys(of id: AppID) async throws -> [StoredSigningKey]
    /// The ids of the master keys under which keys, and the secrets of delivery, are sealed.
    func sealingKeyIDs() async throws -> Set<String>
}

/// Reads the keys of the management API.
package protocol ManagementKeyStore: IntentStore {
    func managementKey(hash: String) async throws -> ManagementKey?
    /// Oldest first.
    func managementKeys() async throws -> [ManagementKey]
}

/// Reads users with their identifiers.
package protocol UserStore: IntentStore {
    func user(_ id: String, app: AppID) async throws -> User?
    func user(with identifier: CanonicalIdentifier, app: AppID) async throws -> User?
    func user(externalID: String, app: AppID) async throws -> User?
    /// Newest first.
    ///
    /// - Parameter status: Only users with this status; `nil` for all.
    func users(app: AppID, status: User.Status?, limit: Int, offset: Int) async throws -> (users: [User], total: Int)
    /// The number of users with each status, among the newest ones. It reads no more rows than that.
    func statuses(ofNewest limit: Int, app: AppID) async throws -> [User.Status: Int]
    /// How many of the newest users sign in with something. It reads no more users than `bound`.
    func users(with means: SignInMeans, app: AppID, amongNewest bound: Int) async throws -> CountedUsers
    /// How many users have an identifier of a type in any of the ranges.
    ///
    /// - Parameters:
    ///   - ranges: Canonical identifiers in the order of their UTF-8, without the upper bounds.
    ///   - bound: How many identifiers are read at most.
    func users(
        with type: IdentifierType, in ranges: [Range<String>], app: AppID, among bound: Int
    ) async throws -> CountedUsers
    /// Newest first, after a place.
    func users(app: AppID, status: User.Status?, after place: ListPlace, limit: Int) async throws -> [User]
    /// The users that have any of the names, each once, newest first.
    func users(_ lookup: UserLookup, app: AppID) async throws -> [User]
    /// Those of some counters that exist, and all counters of the user's devices and sessions.
    func counters(_ keys: [CounterKey], ofUser userID: String, app: AppID) async throws -> [StoredCounter]
    /// The ids after one id, or the first ones, in ascending order.
    func userIDs(app: AppID, after id: String?, limit: Int) async throws -> [String]
}

/// Reads passkeys.
package protocol PasskeyStore: IntentStore {
    func passkey(_ id: String, app: AppID) async throws -> Passkey?
    /// Oldest first.
    func passkeys(of userID: String, app: AppID) async throws -> [Passkey]
}

/// Reads running logins.
package protocol LoginStore: IntentStore {
    /// The verification behind a token.
    func verification(tokenHash: String, app: AppID) async throws -> Verification?
}

/// Reads messages that wait for the worker.
package protocol MessageStore: IntentStore {
    /// The queues that have a message due, longest due first, with the number of these messages.
    func dueMessages(at times: DueTimes) async throws -> [(queue: MessageQueue, count: Int)]
}

/// Reads sessions.
package protocol SessionStore: IntentStore {
    func session(_ id: String, app: AppID) async throws -> Session?
    /// The session with its user, in one read.
    func signedIn(session id: String, app: AppID) async throws -> (session: Session, user: User)?
    /// Live sessions of one user, last seen first, with the number of all that the filter selects.
    func sessions(
        of userID: String, app: AppID, filter: SessionFilter, now: Timestamp, limit: Int, offset: Int
    ) async throws -> (sessions: [Session], total: Int)
    /// Live sessions of one user, last seen first, after a place.
    func sessions(
        of userID: String, app: AppID, filter: SessionFilter, now: Timestamp, after place: ListPlace, limit: Int
    ) async throws -> [Session]
}

/// Reads step-ups.
package protocol StepUpStore: IntentStore {
    /// The grants of a user whose session is live at this time, those of other sessions included.
    func grants(of userID: String, app: AppID, liveAt now: Timestamp) async throws -> [Grant]
    /// How many users have a grant of a scope that has not expired at this time, among `bound` grants of the app.
    func grantedUsers(of scope: String, app: AppID, at now: Timestamp, among bound: Int) async throws -> CountedUsers
}

/// Reads webhooks and their deliveries.
package protocol WebhookStore: IntentStore {
    /// Oldest first.
    func webhooks(app: AppID) async throws -> [Webhook]
    func webhook(_ id: String, app: AppID) async throws -> Webhook?
    /// Newest first.
    func deliveries(of webhookID: String, app: AppID, limit: Int, offset: Int) async throws -> [WebhookDelivery]
    /// Newest first, after the delivery of an event.
    ///
    /// - Returns: `nil` if the webhook has no delivery of the event.
    func deliveries(of webhookID: String, app: AppID, after eventID: String, limit: Int) async throws
        -> [WebhookDelivery]?
    /// Whether a webhook has more deliveries than a number, whatever became of them.
    func hasDeliveries(of webhookID: String, app: AppID, moreThan count: Int) async throws -> Bool
    /// The active webhooks of all apps that have a delivery due.
    func dueWebhooks(now: Timestamp) async throws -> [Webhook]
}

/// Reads events.
package protocol EventStore: IntentStore {
    /// The events that match a query, newest first; of the same time, the last committed first.
    ///
    /// - Returns: `nil` if the event `before` does not exist.
    func events(_ query: EventQuery) async throws -> [Event]?
    /// Events in the order in which they were written, those of all apps for `nil`.
    ///
    /// - Parameter sequence: Only later events are returned. One that is written first can be committed last: see
    ///   `eventLateness`.
    func events(app: AppID?, after sequence: Int64, limit: Int) async throws -> [SequencedEvent]
    /// The sequence number of the last event, 0 without events.
    func lastEventSequence() async throws -> Int64
    /// How much lower the sequence number of an event can be than that of an event that was visible before. A reader who
    /// must not miss one reads this range again.
    var eventLateness: Int64 { get }
}

extension EventStore {
    /// The events of an app, newest first.
    package func events(app: AppID, limit: Int, offset: Int) async throws -> [Event] {
        try await events(EventQuery(app: app, limit: limit, offset: offset)) ?? []
    }
}

/// Deletes rows that have expired: replay memory, verifications, messages, counters, challenges, grants, ended sessions, old
/// events.
package protocol HousekeepingStore: Sendable {
    /// Deletes at most `limit` rows of each kind and returns how many were deleted.
    ///
    /// The transaction that deletes a redemption also remembers, for its app and kind and the hour of its expiry, how far
    /// redemptions are deleted, if the kind outlives its row. `Change.redeem` needs it. It is kept forever, because a wrong clock must not delete it.
    ///
    /// - Parameters:
    ///   - now: Rows that expired by this time are deleted; sessions whose `Session.keptUntil` has passed, up to an hour
    ///     late.
    func deleteExpired(now: Timestamp, limit: Int) async throws -> Int
    /// Deletes at most `limit` events of an app, with their deliveries, and returns how many were deleted.
    ///
    /// - Parameters:
    ///   - until: Events up to this time are deleted, except those with a pending delivery.
    ///   - pendingUntil: Events up to this time are deleted in any case.
    func deleteEvents(of app: AppID, until: Timestamp, pendingUntil: Timestamp, limit: Int) async throws -> Int
}

/// A place in a list that is sorted by a time and an id, newest first. The list continues after it.
///
/// It stays valid when the element at the place is deleted or moves.
package struct ListPlace: Sendable, Equatable {
    package let time: Timestamp
    package let id: String

    package init(time: Timestamp, id: String) {
        self.time = time
        self.id = id
    }
}

/// Where a page of a list begins.
package enum PageStart: Sendable, Equatable {
    /// After a number of elements.
    case offset(Int)
    case after(ListPlace)
}

/// A page of a list.
package struct ListPage<Element: Sendable>: Sendable {
    package let elements: [Element]
    /// The number of elements of the whole list. Only pages by offset have it, because a page after a place does not count.
    package let total: Int?
    /// Where the next page begins. `nil`: this is the last page.
    package let next: ListPlace?

    /// A page that was read by its offset.
    init(_ elements: [Element], total: Int, offset: Int, place: (Element) -> ListPlace) {
        self.elements = elements
        self.total = total
        next = offset + elements.count < total ? elements.last.map(place) : nil
    }

    /// A page after a place.
    ///
    /// - Parameter found: One element more than the page may have, if there is one.
    init(_ found: [Element], limit: Int, place: (Element) -> ListPlace) {
        elements = Array(found.prefix(limit))
        total = nil
        next = found.count > limit ? elements.last.map(place) : nil
    }
}

/// The limits of pages.
package enum PageLimit {
    /// Clients with numbers of 32 bits can name every place.
    package static let maximumOffset = Int(Int32.max)

    /// - Throws: `Refusal.invalidPaginationLimit` or `.invalidPaginationOffset`.
    static func check(_ limit: Int, _ start: PageStart) throws(Refusal) {
        guard (1...100).contains(limit) else { throw .invalidPaginationLimit }
        guard case .offset(let offset) = start else { return }
        guard (0...maximumOffset).contains(offset) else { throw .invalidPaginationOffset(maximum: maximumOffset) }
    }
}

/// A failure of a store. The request fails; no failure looks like an outcome.
package enum StoreError: Error, Equatable {
    /// The queue of waiting writes is full.
    case overloaded
    /// The database was written by a newer version of the software.
    case newerSchema(found: Int, supported: Int)
    /// The database was written by an older version, or is empty (`found` is 0), and may not be migrated.
    case olderSchema(found: Int, supported: Int)
    /// The database does not exist and may not be created.
    case missing
    /// The file is damaged. The text is the first finding.
    case damaged(String)
    /// Another process has the database open, or replaces it.
    case inUse
    /// The database has an import that is not finished.
    case unfinishedImport
    /// Another transaction kept a row locked for longer than the call may wait. The database works.
    case locked
    /// Other calls changed the rows of this call in each attempt. The text is for the log.
    case conflict(String)
    /// The database rejected or lost the write. The text is for the log, never for a client.
    case unavailable(String)

    /// The guards of an intent failed in every attempt.
    package static let contended = StoreError.conflict(
        "the rows changed in each of \(GuardFailures.maximumAttempts) attempts to write them")

    /// Whether other calls changed the same rows for as long as this call could wait. The database works.
    package var isOfCaller: Bool {
        switch self {
        case .locked, .conflict: true
        default: false
        }
    }

    /// The reason in words, for logs.
    package var reason: String {
        switch self {
        case .overloaded: "too many writes wait"
        case .newerSchema(let found, let supported): "its schema is \(found), and this version supports \(supported)"
        case .olderSchema(let found, let supported): "its schema is \(found), and this version needs \(supported)"
        case .missing: "the file is missing"
        case .damaged(let finding): "the file is damaged: \(finding)"
        case .inUse: "another process replaces it"
        case .unfinishedImport: "an import into it is not finished"
        case .locked: "another transaction kept a row locked for too long"
        case .conflict(let reason), .unavailable(let reason): reason
        }
    }
}

/// The schema of a database, compared with the one of this program.
package struct SchemaState: Sendable, Equatable {
    /// One step that the database lacks.
    package struct Step: Sendable, Equatable {
        package let number: Int
        package let name: String
        /// What the step runs, in order. Each statement ends without a semicolon.
        package let sql: [String]

        package init(number: Int, name: String, sql: [String]) {
            self.number = number
            self.name = name
            self.sql = sql
        }
    }

    /// The version of the database, 0 for one without tables.
    package let found: Int
    /// The version of this program.
    package let supported: Int
    /// Whether this program can use the database, after a migration if steps are pending.
    package let isUsable: Bool
    package let pending: [Step]

    package init(found: Int, supported: Int, isUsable: Bool, pending: [Step]) {
        self.found = found
        self.supported = supported
        self.isUsable = isUsable
        self.pending = pending
    }
}

/// What a configuration must fit: the schema of a database, its apps, and the master keys that seal its keys and secrets.
package struct DatabaseSummary: Sendable, Equatable {
    /// The version of the schema, 0 without tables.
    package let schema: Int
    package let apps: Set<AppID>
    /// The ids of the master keys that have sealed signing keys, and secrets of delivery.
    package let sealingKeyIDs: Set<String>
    /// What an operator must change in the database server, one line each.
    package let warnings: [String]

    package init(schema: Int, apps: Set<AppID>, sealingKeyIDs: Set<String>, warnings: [String] = []) {
        self.schema = schema
        self.apps = apps
        self.sealingKeyIDs = sealingKeyIDs
        self.warnings = warnings
    }
}

/// What opening a database may do.
package enum OpenMode: Sendable {
    /// Create a missing database and migrate an older one: the service.
    case migrating
    /// Create a missing database, but do not migrate: a command that may run before the service.
    case creating
    /// Do not create and do not migrate. For a command beside a running service, which may have an older version.
    case existing
}
