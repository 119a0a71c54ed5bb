/// What an intent reads: its rows, and the value that `decide` gets of them.
///
/// ```swift
/// Read(app: appID, .session(sessionID), .userOfSession(), .failures, as: Facts.init)
/// ```
package struct Read<Facts: Sendable>: Sendable {
    package let query: FactQuery
    private let make: @Sendable (FoundRows) -> Facts

    package init(_ query: FactQuery, as make: @escaping @Sendable (FoundRows) -> Facts) {
        self.query = query
        self.make = make
    }

    /// - Parameters:
    ///   - app: The app that all rows belong to. `nil` only for management keys, which belong to no app.
    ///   - make: Gets the value of each fact, in their order.
    package init<each Value>(
        app: AppID?, _ facts: repeat Fact<each Value>, as make: @escaping @Sendable (repeat each Value) -> Facts
    ) {
        var query = FactQuery(app: app)
        repeat (each facts).ask(&query)
        self.init(query) { rows in make(repeat (each facts).value(rows)) }
    }

    /// The facts of another intent, and more.
    package init<Inner, each Value>(
        _ inner: Read<Inner>, _ facts: repeat Fact<each Value>,
        as make: @escaping @Sendable (Inner, repeat each Value) -> Facts
    ) {
        var query = inner.query
        repeat (each facts).ask(&query)
        self.init(query) { rows in make(inner.facts(in: rows), repeat (each facts).value(rows)) }
    }

    /// One fact.
    package init(app: AppID?, _ fact: Fact<Facts>) {
        self.init(app: app, fact) { $0 }
    }

    package func facts(in rows: FoundRows) -> Facts { make(rows) }
}

extension Read where Facts == Void {
    /// No rows.
    package init(app: AppID?) {
        self.init(FactQuery(app: app)) { _ in }
    }
}

/// One kind of row that an intent asks for, and its value.
package struct Fact<Value: Sendable>: Sendable {
    fileprivate let ask: @Sendable (inout FactQuery) -> Void
    fileprivate let value: @Sendable (FoundRows) -> Value

    private init(
        _ value: any KeyPath<FoundRows, Value> & Sendable,
        asking ask: @escaping @Sendable (inout FactQuery) -> Void = { _ in }
    ) {
        self.ask = ask
        self.value = { $0[keyPath: value] }
    }
}

// Each fact is described by the property of `FactQuery` that it sets. `isShared`: the intent never changes the row, and others
// may read it at the same time.

extension Fact<GuardFailures> {
    /// The guards that failed in earlier attempts of the same intent, and the counters of its budget that are at their limit.
    package static var failures: Fact { Fact(\.failures) }
}

extension Fact<KnownDevice.Standing> {
    package static func budget(_ selector: FactQuery.BudgetSelector?) -> Fact {
        Fact(\.deviceStanding) { $0.budget = selector }
    }

    package static func budget(_ budget: CallBudget, for subject: FactQuery.BudgetSelector.Subject) -> Fact {
        .budget(.init(budget, for: subject))
    }
}

extension Fact<App?> {
    package static func settings(isShared: Bool = false) -> Fact {
        Fact(\.settings) {
            $0.settings = true
            if isShared { $0.shared.insert(.settings) }
        }
    }
}

extension Fact<[App]> {
    package static func apps(if isNeeded: Bool) -> Fact { Fact(\.apps) { $0.apps = isNeeded } }
}

extension Fact<StepUpChallenge?> {
    package static func challenge(_ id: String?) -> Fact { Fact(\.challenge) { $0.challenge = id } }
}

extension Fact<[StepUpChallenge]> {
    package static func unredeemedChallenges(ofSession id: String) -> Fact {
        Fact(\.unredeemedChallenges) { $0.unredeemedChallenges = id }
    }
}

extension Fact<Session?> {
    package static func session(_ id: String?) -> Fact { Fact(\.session) { $0.session = id.map { .id($0) } } }

    package static var sessionOfChallenge: Fact { Fact(\.session) { $0.session = .ofChallenge } }
}

extension Fact<[Session]> {
    /// - Parameter time: `nil` asks for none.
    package static func liveSessions(at time: Timestamp?) -> Fact { Fact(\.liveSessions) { $0.liveSessions = time } }

    package static func surplusSessions(at time: Timestamp, keeping count: Int) -> Fact {
        Fact(\.surplusSessions) { $0.surplusSessions = .init(now: time, keeping: count) }
    }
}

extension Fact<Verification?> {
    package static func verification(tokenHash: String?) -> Fact {
        Fact(\.verification) { $0.verification = tokenHash.map { .tokenHash($0) } }
    }

    package static var verificationOfChallenge: Fact { Fact(\.verification) { $0.verification = .ofChallenge } }
}

extension Fact<User?> {
    package static func user(_ selector: FactQuery.UserSelector) -> Fact { Fact(\.user) { $0.user = selector } }

    package static func user(_ id: String) -> Fact { .user(.id(id)) }

    package static func userOfSession(isShared: Bool = false) -> Fact {
        Fact(\.user) {
            $0.user = .ofSession
            if isShared { $0.shared.insert(.user) }
        }
    }
}

extension Fact<[User]> {
    package static func owners(of identifiers: [CanonicalIdentifier], externalID: String? = nil) -> Fact {
        Fact(\.owners) { $0.owners = .init(identifiers: identifiers, externalID: externalID) }
    }
}

extension Fact<String?> {
    package static var passwordHash: Fact { Fact(\.passwordHash) { $0.passwordHash = true } }
}

extension Fact<[Passkey]> {
    /// The passkeys of the user found.
    package static var passkeys: Fact { Fact(\.passkeys) { $0.passkeys = true } }
}

extension Fact<[Grant]> {
    package static func grants(at time: Timestamp) -> Fact { Fact(\.grants) { $0.grants = time } }
}

extension Fact<[StoredSigningKey]> {
    package static func signingKeys(_ purpose: StoredSigningKey.Purpose) -> Fact {
        Fact(\.signingKeys) { $0.signingKeys = purpose }
    }
}

extension Fact<[ManagementKey]> {
    package static var managementKeys: Fact { Fact(\.managementKeys) { $0.managementKeys = true } }
}

extension Fact<Webhook?> {
    package static func webhook(_ id: String) -> Fact { Fact(\.webhook) { $0.webhook = id } }
}

extension Fact<Int> {
    package static var webhookCount: Fact { Fact(\.webhookCount) { $0.webhookCount = true } }
}

extension Fact<[WebhookDelivery]> {
    package static func dueDeliveries(at time: Timestamp, limit: Int) -> Fact {
        Fact(\.dueDeliveries) { $0.dueDeliveries = .init(now: time, limit: limit) }
    }
}

extension Fact<QueuedMessage?> {
    package static func message(_ selector: FactQuery.MessageSelector) -> Fact {
        Fact(\.message) { $0.message = selector }
    }
}

/// The rows that an intent needs. Each property asks for one kind of row; the default asks for nothing.
///
/// Some rows depend on others, such as the user of a session. A SQL store reads them with joins and sub-selects.
package struct FactQuery: Sendable, Equatable {
    /// The app that all rows belong to. `nil` only for management keys, which belong to no app.
    package var app: AppID?

    /// The budget that the intent spends. All its counters are compared. `FoundRows.failures` names those at their limit.
    package var budget: BudgetSelector?
    /// The settings of the app.
    package var settings = false
    /// The id of a step-up challenge.
    package var challenge: String?
    package var session: SessionSelector?
    package var verification: VerificationSelector?
    package var user: UserSelector?

    /// The password hash of the user found.
    package var passwordHash = false
    /// The passkeys of the user found.
    package var passkeys = false
    /// The grants of the user found whose session is live at this time, those of other sessions included.
    package var grants: Timestamp?
    /// The sessions of the user found that are live at this time.
    package var liveSessions: Timestamp?
    /// The live sessions of the user found, without those that were used last.
    package var surplusSessions: SurplusSelector?

    /// The id of a session whose challenges are wanted, those that are redeemed left out.
    package var unredeemedChallenges: String?
    /// The users that have any of these identifiers, or this external id.
    package var owners: OwnerSelector?
    /// The signing keys of one purpose.
    package var signingKeys: StoredSigningKey.Purpose?
    /// All management keys, those of all apps included.
    package var managementKeys = false
    /// All apps. A store that locks rows makes other intents that ask for them wait.
    package var apps = false
    /// The id of a webhook.
    package var webhook: String?
    /// The number of webhooks of the app.
    package var webhookCount = false
    /// The pending deliveries of `webhook` that are due.
    package var dueDeliveries: DueSelector?
    package var message: MessageSelector?
    /// The rows that the intent reads and never changes, and that others may read at the same time. A store that locks rows
    /// makes other intents wait for all rows that are not in this set.
    package var shared: Set<SharedRow> = []

    package init(app: AppID?, _ ask: (inout FactQuery) -> Void = { _ in }) {
        self.app = app
        ask(&self)
    }

    package enum SharedRow: Sendable {
        case settings, user
    }

    package enum SessionSelector: Sendable, Equatable {
        case id(String)
        /// The session of the challenge found.
        case ofChallenge
    }

    package enum VerificationSelector: Sendable, Equatable {
        case tokenHash(String)
        /// The verification filed under the `verificationKey` of the challenge found.
        case ofChallenge
    }

    package enum UserSelector: Sendable, Equatable {
        case id(String)
        /// The user that has the identifier, without the profile: decoding one would show in the time of a login that the
        /// user exists. An intent must not write this user back.
        case identifier(CanonicalIdentifier)
        /// The user of the session found.
        case ofSession
        /// The user that has the identifier of the verification found, without the profile.
        ///
        /// `nil` if the code expired by `now` or has that many checks: a check that is rejected anyway takes the same time
        /// for every identifier.
        case ofVerification(now: Timestamp, maximumChecks: Int)
    }

    /// The counters of a call for one identifier. If the call names a device, the store first reads `User.loginEpoch` of the
    /// device's user, if this user has the identifier, and reports `KnownDevice.standing(atEpoch:)` as
    /// `FoundRows.deviceStanding`.
    package struct BudgetSelector: Sendable, Equatable {
        package enum Subject: Sendable, Equatable {
            case identifier(CanonicalIdentifier)
            /// The identifier of the verification found. Without one, no counter is read. The verification is read before
            /// the counters, and the user after them.
            case ofVerification
        }

        package let budget: CallBudget
        package let subject: Subject

        package init(_ budget: CallBudget, for subject: Subject) {
            self.budget = budget
            self.subject = subject
        }
    }

    package struct CounterSelector: Sendable, Equatable {
        package let key: CounterKey
        package let limit: RateLimit
        package let now: Timestamp

        package init(_ key: CounterKey, limit: RateLimit, now: Timestamp) {
            self.key = key
            self.limit = limit
            self.now = now
        }
    }

    package struct OwnerSelector: Sendable, Equatable {
        package let identifiers: [CanonicalIdentifier]
        package let externalID: String?

        package init(identifiers: [CanonicalIdentifier], externalID: String?) {
            self.identifiers = identifiers
            self.externalID = externalID
        }
    }

    package struct SurplusSelector: Sendable, Equatable {
        package let now: Timestamp
        /// The number of sessions, used last, that are left out.
        package let keeping: Int

        package init(now: Timestamp, keeping: Int) {
            self.now = now
            self.keeping = keeping
        }
    }

    package enum MessageSelector: Sendable, Equatable {
        case id(String)
        /// The present state of a message that was read before. What claims and attempts never change is not read again.
        case state(of: QueuedMessage)
        /// The message of a queue that is due longest.
        case due(in: MessageQueue, at: DueTimes)
    }

    package struct DueSelector: Sendable, Equatable {
        package let now: Timestamp
        package let limit: Int

        package init(now: Timestamp, limit: Int) {
            self.now = now
            self.limit = limit
        }
    }
}
