package import SessionTokens

/// A person who signs in to one app.
package struct User: Sendable, Equatable {
    package enum Status: String, Sendable, Codable, CaseIterable {
        case active
        /// Closed by the operator or the user.
        case inactive
        /// Locked out by the operator.
        case suspended
    }

    /// `usr_` and a lower-case ULID.
    package let id: String
    package let appID: AppID
    package var status: Status
    package var externalID: String?
    package var profile: [String: JSONValue]
    package var identifiers: [CanonicalIdentifier]
    /// The identifiers that a session registered, with the time until which they open nothing else.
    package var heldUntil: [CanonicalIdentifier: Timestamp]
    package var hasPassword: Bool
    package var hasPasskey: Bool
    /// Counts the changes that make begun logins void. A challenge token, and the token of a known device, is valid for the
    /// count under which it was issued.
    package var loginEpoch: Int64
    /// The first language of the last login that named one, as a tag (RFC 5646). Notices that an operator causes are in it.
    /// Only `Change.setLocale` writes it.
    package var locale: String?
    package let createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(
        id: String, appID: AppID, status: Status = .active, externalID: String? = nil,
        profile: [String: JSONValue] = [:], identifiers: [CanonicalIdentifier],
        heldUntil: [CanonicalIdentifier: Timestamp] = [:], hasPassword: Bool = false, hasPasskey: Bool = false,
        loginEpoch: Int64 = 0,
        locale: String? = nil,
        createdAt: Timestamp, updatedAt: Timestamp? = nil
    ) {
        self.id = id
        self.appID = appID
        self.status = status
        self.externalID = externalID
        self.profile = profile
        self.identifiers = identifiers
        self.heldUntil = heldUntil
        self.hasPassword = hasPassword
        self.hasPasskey = hasPasskey
        self.loginEpoch = loginEpoch
        self.locale = locale
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
    }

    /// Throws if the user may not sign in.
    package func requireActive() throws(Refusal) {
        if let refusal = status.refusal { throw refusal }
    }
}

extension User.Status {
    /// What the user learns who has proven an identifier, the password or the device. `nil` if the user may sign in.
    package var refusal: Refusal? {
        switch self {
        case .active: nil
        case .inactive: .inactiveUser
        case .suspended: .suspendedAccount
        }
    }
}

/// An identifier that a session registered is held for a time: it opens nothing else. A hijacked session could otherwise
/// register its own phone, and pass the step-ups of other scopes with it (OWASP ASVS 5.0 §7.5.1).
extension User {
    /// Whether this identifier is held.
    package func isHeld(_ identifier: CanonicalIdentifier, at now: Timestamp) -> Bool {
        heldUntil[identifier].map { now < $0 } ?? false
    }

    /// Whether any identifier is held.
    package func hasHeldIdentifier(at now: Timestamp) -> Bool { identifiers.contains { isHeld($0, at: now) } }

    /// The identifiers that are not held, in the order in which they were added. Rules of scopes apply to them, and codes
    /// of step-ups go to them.
    package func establishedIdentifiers(at now: Timestamp) -> [CanonicalIdentifier] {
        identifiers.filter { !isHeld($0, at: now) }
    }
}

extension User {
    package static let maximumIdentifiers = 10
    package static let maximumProfileKeys = 50
    /// Bytes of the profile as JSON. Lists of users are read into memory.
    package static let maximumProfileSize = 16 * 1024

    /// Checks a user that an operator provides.
    func validate() throws(Refusal) {
        guard (1...Self.maximumIdentifiers).contains(identifiers.count), Set(identifiers).count == identifiers.count
        else {
            throw .invalidField("identifiers", "must be 1 to \(Self.maximumIdentifiers) different identifiers")
        }
        try Self.validate(externalID: externalID)
        try Self.validate(profile: profile)
    }

    static func validate(externalID: String?) throws(Refusal) {
        guard let externalID else { return }
        guard (1...255).contains(externalID.utf8.count) else {
            throw .invalidField("external_id", "must have 1 to 255 bytes")
        }
    }

    static func validate(profile: [String: JSONValue]) throws(Refusal) {
        guard profile.count <= maximumProfileKeys, profile.keys.allSatisfy({ (1...64).contains($0.utf8.count) }) else {
            throw .invalidField("profile", "must have at most 50 keys of 1 to 64 bytes")
        }
        guard size(of: profile) <= maximumProfileSize else {
            throw .invalidField("profile", "must have at most \(maximumProfileSize) bytes as JSON")
        }
    }

    static func size(of profile: [String: JSONValue]) -> Int {
        (try? TokenJSON.encode(profile).count) ?? 0
    }
}

/// The users that one read looks for, by any of their names.
package struct UserLookup: Sendable, Equatable {
    /// The most names of one read.
    package static let maximumNames = 100

    package var ids: [String]
    package var externalIDs: [String]
    package var identifiers: [CanonicalIdentifier]

    package init(ids: [String] = [], externalIDs: [String] = [], identifiers: [CanonicalIdentifier] = []) {
        self.ids = ids
        self.externalIDs = externalIDs
        self.identifiers = identifiers
    }

    /// - Throws: `Refusal.invalidField` without a name, and with too many.
    func validate() throws(Refusal) {
        let count = ids.count + externalIDs.count + identifiers.count
        guard (1...Self.maximumNames).contains(count) else {
            throw .invalidField(
                "body", "must name 1 to \(Self.maximumNames) users in user_ids, external_ids and identifiers")
        }
    }

    /// The names that none of these users has.
    package func names(missingIn users: [User]) -> UserLookup {
        let (ids, externalIDs) = (Set(users.map(\.id)), Set(users.compactMap(\.externalID)))
        let keys = Set(users.flatMap(\.identifiers).map(\.key))
        return UserLookup(
            ids: self.ids.filter { !ids.contains($0) },
            externalIDs: self.externalIDs.filter { !externalIDs.contains($0) },
            identifiers: identifiers.filter { !keys.contains($0.key) })
    }
}

/// How many users an app has, counted with a bound: a count of millions of rows takes seconds.
package struct UserCounts: Sendable, Equatable {
    /// The largest number of users that are counted.
    package static let bound = 10_000

    private let statuses: [User.Status: Int]
    /// Whether these are all users. Otherwise they are the newest `bound`.
    package let isComplete: Bool

    /// - Parameter found: The users among the newest `bound`.
    init(_ found: [User.Status: Int]) {
        statuses = found
        isComplete = found.values.reduce(0, +) < Self.bound
    }

    /// The number of counted users.
    package var total: Int { statuses.values.reduce(0, +) }

    package subscript(status: User.Status) -> Int { statuses[status] ?? 0 }
}

/// How many users have something, among a limited number of rows: to count all could take long.
package struct CountedUsers: Sendable, Equatable {
    /// The most rows that are read for a page.
    package static let bound = 10_000

    package let count: Int
    /// Whether all rows of the app were read.
    package let isComplete: Bool

    /// - Parameters:
    ///   - read: How many rows were read.
    ///   - bound: How many are read at most.
    package init(count: Int, read: Int, of bound: Int) {
        self.count = count
        isComplete = read < bound
    }
}

/// What users sign in with, to count those that have it.
package struct SignInMeans: Sendable, Equatable {
    /// The users have an identifier of this type. `nil`: with and without one.
    package var identifier: IdentifierType?
    /// The users have no identifier of this type. `nil`: with and without one.
    package var missing: IdentifierType?
    /// `true`: the users have a password. `false`: they have none, or no e-mail address to sign in with it. `nil`: all users.
    package var password: Bool?

    package init(identifier: IdentifierType? = nil, missing: IdentifierType? = nil, password: Bool? = nil) {
        self.identifier = identifier
        self.missing = missing
        self.password = password
    }
}

/// The user that an intent changes, the time of the change, and the factory of its events.
package struct UserChange: Sendable {
    package let userID: String
    package let appID: AppID
    package let now: Timestamp
    package let events: EventFactory
    /// Tells the user about the change. `nil` for a change that has no notice.
    package let notices: NoticeFactory?

    package init(
        of userID: String, app: AppID, now: Timestamp, events: EventFactory, notices: NoticeFactory? = nil
    ) {
        self.userID = userID
        appID = app
        self.now = now
        self.events = events
        self.notices = notices
    }

    package struct Facts: Sendable {
        let user: User?
        let failures: GuardFailures
    }

    var reads: Read<Facts> { Read(app: appID, .user(userID), .failures, as: Facts.init) }

    package struct SessionFacts: Sendable {
        let user: User?
        let liveSessions: [Session]
        let failures: GuardFailures
    }

    var readsWithSessions: Read<SessionFacts> {
        Read(app: appID, .user(userID), .liveSessions(at: now), .failures, as: SessionFacts.init)
    }

    /// - Parameter user: Before the change.
    func notice(_ occasion: NoticeOccasion, to user: User, _ failures: GuardFailures) -> [Change] {
        notices?.changes(occasion, to: user, failures, at: now) ?? []
    }
}

/// The outcome of a change of one user.
package enum UpdateUserOutcome: Sendable, Equatable {
    case updated(User)
    /// Another user of the app has the identifier or the external id.
    case taken
    /// The user has the maximum number.
    case full
    case notFound
}

extension Change {
    /// The changes that insert a user with all identifiers.
    static func insertions(of user: User, passwordHash: String? = nil) -> [Change] {
        [.insertUser(user, passwordHash: passwordHash)] + user.identifiers.map { .insertIdentifier($0, of: user) }
    }

    /// The changes that leave nothing of an identifier that a user has no longer, apart from its own counters and events.
    static func forgetting(_ identifier: CanonicalIdentifier, app: AppID) -> [Change] {
        [
            .endVerifications(of: identifier, app: app), .forgetIdentifier(identifier, app: app),
            .clearCounters(prefixes: [CounterKey.prefixOfMarks(at: identifier)], app: app),
        ]
    }

    /// Ends what a user has begun and not finished: codes, step-ups and grants, logins.
    static func endingBegun(by user: User) -> [Change] { [.deleteStepUps(of: user)] + endingLogins(of: user) }

    /// Ends the logins of a user that have begun: running codes, and challenge tokens.
    static func endingLogins(of user: User) -> [Change] {
        user.identifiers.map { .endVerifications(of: $0, app: user.appID) } + [.voidLogins(of: user)]
    }
}

/// Adds an identifier to a user. Adding one that the user has changes nothing.
package struct AddIdentifier: Intent {
    package let identifier: CanonicalIdentifier
    package let change: UserChange

    package init(_ identifier: CanonicalIdentifier, in change: UserChange) {
        self.identifier = identifier
        self.change = change
    }

    package var reads: Read<UserChange.Facts> { change.reads }

    package func decide(_ facts: UserChange.Facts) -> Decision<UpdateUserOutcome> {
        guard let user = facts.user else { return Decision(.notFound) }
        if user.identifiers.contains(identifier) { return Decision(.updated(user)) }
        guard user.identifiers.count < User.maximumIdentifiers else { return Decision(.full) }
        if facts.failures.isTaken(.identifier(identifier)) { return Decision(.taken) }
        let addition = IdentifierAddition(of: identifier, to: user, now: change.now, events: change.events)
        return Decision(
            .updated(addition.user),
            addition.changes + change.notice(.identifierAdded(identifier), to: user, facts.failures))
    }
}

/// The changes that add an identifier to a user.
struct IdentifierAddition {
    /// The user with the new identifier.
    let user: User
    let changes: [Change]

    /// - Parameter heldUntil: For an identifier that a session registers. `nil`: it is not held.
    init(
        of identifier: CanonicalIdentifier, to user: User, heldUntil: Timestamp? = nil, now: Timestamp,
        events: EventFactory
    ) {
        var next = user
        next.identifiers.append(identifier)
        next.heldUntil[identifier] = heldUntil
        next.updatedAt = now
        self.user = next
        changes = [
            .insertIdentifier(identifier, of: user, heldUntil: heldUntil), .replaceUser(user, with: next),
            .append(events.identifierCreated(identifier, of: user.id)),
        ]
    }
}

/// Removes an identifier from a user. Codes for it, and the step-ups and logins that may rest on it, end. Its messages and
/// counters are deleted; only the notice of the removal goes to it.
package struct RemoveIdentifier: Intent {
    package let identifier: CanonicalIdentifier
    package let change: UserChange

    package init(_ identifier: CanonicalIdentifier, in change: UserChange) {
        self.identifier = identifier
        self.change = change
    }

    package var reads: Read<UserChange.Facts> { change.reads }

    package func decide(_ facts: UserChange.Facts) -> Decision<UpdateUserOutcome> {
        guard let user = facts.user else { return Decision(.notFound) }
        guard user.identifiers.contains(identifier) else { return Decision(.updated(user)) }
        var next = user
        next.identifiers.removeAll { $0 == identifier }
        next.heldUntil[identifier] = nil
        next.updatedAt = change.now
        return Decision(
            .updated(next),
            [.deleteIdentifier(identifier, of: user)] + Change.forgetting(identifier, app: change.appID)
                + CounterKey.all(of: .anonymous(identifier)).map { .clearCounter($0, app: change.appID) } + [
                    .deleteStepUps(of: user), .voidLogins(of: user), .replaceUser(user, with: next),
                    .append(change.events.identifierDeleted(identifier, of: change.userID)),
                ] + change.notice(.identifierRemoved(identifier), to: user, facts.failures))
    }
}
