internal import Foundation
internal import SessionTokens

/// Login with a credential of an earlier system.
package struct MigrationLogin: Sendable {
    private let store: any UserStore & StepUpStore
    private let keys: KeyRing
    private let call: HookCall
    private let slots: AppSlots
    private let environment: ServiceEnvironment

    static let agent = "Prelude-SessionMigrationHook/1.0"

    init(
        store: any UserStore & StepUpStore, keys: KeyRing, call: HookCall, slots: AppSlots,
        environment: ServiceEnvironment
    ) {
        self.store = store
        self.keys = keys
        self.call = call
        self.slots = slots
        self.environment = environment
    }

    private struct Body: Encodable { let token: String }

    /// Asks the operator's backend for the owner of a credential, and signs that user in.
    ///
    /// - Returns: The challenge token for finalize.
    /// - Throws: `Refusal.unauthorized` if the operator's backend answers 401; `.authBlocked` if its answer is
    ///   unusable.
    package func login(
        app: AppRuntime, token: String, codeChallenge: String, source: SourceAddress
    ) async throws -> String {
        guard (1...8192).contains(token.utf8.count) else {
            throw Refusal.invalidField("token", "must have 1 to 8192 bytes")
        }
        guard PKCE.isWellFormed(challenge: codeChallenge) else {
            throw Refusal.invalidField("code_challenge", "must be the S256 challenge of a verifier, 43 characters")
        }
        guard let config = app.settings.migration else { throw Refusal.noLoginConfig("migration is not configured") }
        let slot = try slots.take(app.settings.id)
        defer { withExtendedLifetime(slot) {} }
        let (now, networks, id) = (environment.now(), keys.networks(of: source), app.settings.id)
        let count = CountMigration(
            networks: networks, appID: id, limit: app.settings.otpLimits.migrationsPerAddress, now: now,
            events: EventFactory(appID: id, environment: environment))
        if let limit = try await store.perform(count) { throw limit.refusal(now: now, observer: environment.observer) }
        // Only a success is taken back: a backend may reject a credential by any answer.
        let user = try await validated(token, config: config, app: app)
        try await store.perform(UncountMigration(networks: networks, appID: id))
        do throws(Refusal) { try user.requireActive() } catch {
            throw try await rejected(.inactiveUser, error, app, userID: user.id)
        }
        return try app.issueLoginChallenge(
            for: user, codeChallenge: codeChallenge, method: .migration, environment: environment)
    }

    private func validated(_ token: String, config: MigrationConfig, app: AppRuntime) async throws -> User {
        let answer: EgressAnswer
        do {
            answer = try await call.post(
                Body(token: token), to: config.sessionValidationURL, agent: Self.agent, timeout: 5, app: app)
        } catch is EgressError {
            throw try await failed(.requestFailed, app)
        }
        if answer.status == 401 { throw try await rejected(.rejectedCredential, .unauthorized, app) }
        guard answer.status == 200 else { throw try await failed(.invalidStatusCode, app) }
        guard let migrated = try? TokenJSON.decode(Answer.self, from: answer.body).user else {
            throw try await failed(.responseDecodeFailed, app)
        }
        guard let user = try? migrated.user(in: app, environment: environment) else {
            throw try await failed(.invalidResponse, app)
        }
        let events = EventFactory(appID: app.settings.id, environment: environment)
        let notices = NoticeFactory(app.settings, environment: environment)
        let adoption = AdoptUser(newUser: user, now: environment.now(), events: events, notices: notices)
        switch try await store.perform(adoption) {
        case .adopted(let user): return user
        case .conflict: throw Refusal.identifierTaken()
        }
    }

    private func rejected(
        _ reason: LoginFailure, _ refusal: Refusal, _ app: AppRuntime, userID: String? = nil
    ) async throws -> Refusal {
        let events = EventFactory(appID: app.settings.id, environment: environment)
        let subject = LoginSubject(nil, userID: userID)
        try await store.perform(AppendEvents([events.loginFailed(reason, .migration, of: subject)]))
        return refusal
    }

    private func failed(_ failure: HookFailure, _ app: AppRuntime) async throws -> Refusal {
        let events = EventFactory(appID: app.settings.id, environment: environment)
        try await store.perform(
            AppendEvents([
                events.make(
                    .migrationHookFailed, ["reason": .string(failure.rawValue)], reporting: .hookFailed(failure))
            ]))
        return .authBlocked
    }
}

/// The answer of the operator's backend.
private struct Answer: Decodable {
    let user: MigratedUser
}

private struct MigratedUser: Decodable {
    struct Identifier: Decodable {
        let type: String
        let value: String
    }

    let identifiers: [Identifier]
    let profile: [String: JSONValue]?
    let externalID: String?

    private enum CodingKeys: String, CodingKey {
        case identifiers, profile
        case externalID = "external_id"
    }

    /// Applies the rules for users that operators create.
    func user(in app: AppRuntime, environment: ServiceEnvironment) throws -> User {
        let identifiers = try identifiers.map { try CanonicalIdentifier(type: $0.type, value: $0.value) }
        let user = User(
            id: environment.newID("usr"), appID: app.settings.id, externalID: externalID, profile: profile ?? [:],
            identifiers: identifiers, createdAt: environment.now())
        try user.validate()
        return user
    }
}

/// How users of an earlier system are migrated: the operator's backend validates their old credential.
package struct MigrationConfig: DatedSettings, SettingsGroup {
    package var sessionValidationURL: String
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(sessionValidationURL: String, at time: Timestamp) {
        self.sessionValidationURL = sessionValidationURL
        createdAt = time
        updatedAt = time
    }
}

extension MigrationConfig {
    package static let defaults = Self(sessionValidationURL: "", at: .never)
    package static var place: any WritableKeyPath<App, Self> & Sendable { \.migrationSettings }
    package static func isConfigured(in app: App) -> Bool { app.migration != nil }

    package static let schema = SettingsSchema<Self>(
        "migration",
        [
            .init(
                nil,
                [
                    .url(
                        "session_validation_url", \.sessionValidationURL, "URL of your backend",
                        hint: "The service sends each old credential to it."
                    ).stored(as: "sessionValidationURL")
                ])
        ])
}

extension App {
    /// The settings of migration, and the defaults while the app has none.
    fileprivate var migrationSettings: MigrationConfig {
        get { migration ?? .defaults }
        set { migration = newValue }
    }
}

/// Takes over a user that the operator's backend vouches for. A conflict writes nothing.
package struct AdoptUser: Intent {
    package let newUser: User
    package let now: Timestamp
    package let events: EventFactory
    package let notices: NoticeFactory?

    package init(newUser: User, now: Timestamp, events: EventFactory, notices: NoticeFactory? = nil) {
        self.newUser = newUser
        self.now = now
        self.events = events
        self.notices = notices
    }

    package struct Facts: Sendable {
        let owners: [User]
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(
            app: newUser.appID, .owners(of: newUser.identifiers, externalID: newUser.externalID), .failures,
            as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<AdoptUserOutcome> {
        guard facts.owners.count <= 1 else { return Decision(.conflict) }
        guard let existing = facts.owners.first else {
            return Decision(
                .adopted(newUser), Change.insertions(of: newUser) + [.append(events.userCreated(newUser))])
        }
        // Do not modify inactive users. The caller rejects the login.
        guard existing.status == .active else { return Decision(.adopted(existing)) }
        return extend(existing, facts.failures)
    }

    /// Adds what is new to a user that exists. The profile stays as it is.
    private func extend(_ existing: User, _ failures: GuardFailures) -> Decision<AdoptUserOutcome> {
        let added = newUser.identifiers.filter { !existing.identifiers.contains($0) }
        guard existing.identifiers.count + added.count <= User.maximumIdentifiers else { return Decision(.conflict) }
        var next = existing
        if let externalID = newUser.externalID, existing.externalID != externalID {
            // A user with another external id may be another person.
            guard existing.externalID == nil else { return Decision(.conflict) }
            next.externalID = externalID
        }
        next.identifiers += added
        guard next.externalID != existing.externalID || !added.isEmpty else { return Decision(.adopted(existing)) }
        next.updatedAt = now
        let additions = added.flatMap { identifier -> [Change] in
            [
                .insertIdentifier(identifier, of: existing),
                .append(events.identifierCreated(identifier, of: existing.id)),
            ]
        }
        // One notice for one migration: a single identifier is usual, and each names only one.
        let notice =
            added.first.flatMap { notices?.changes(.identifierAdded($0), to: existing, failures, at: now) } ?? []
        return Decision(.adopted(next), additions + [.replaceUser(existing, with: next)] + notice)
    }
}

package enum AdoptUserOutcome: Sendable, Equatable {
    case adopted(User)
    case conflict
}

/// Counts a credential of an earlier system for the networks of its caller, before the operator's backend is asked. Returns the
/// limit that is reached.
private struct CountMigration: Intent {
    let networks: [CountedNetwork]
    let appID: AppID
    let limit: RateLimit
    let now: Timestamp
    /// Reports the limit.
    let events: EventFactory

    var reads: Read<GuardFailures> { Read(app: appID, .failures) }

    func decide(_ failures: GuardFailures) -> Decision<ReachedLimit?> {
        let counters = networks.map { network in
            FactQuery.CounterSelector(
                .migrationsOfNetwork(network.digest), limit: limit.widened(by: network.widening), now: now)
        }
        if let limit = failures.reached(counters) {
            return Decision(limit, events.loginLimited(limit, .migration, of: LoginSubject(nil), failures))
        }
        return Decision(nil, counters.map { $0.counted(app: appID) })
    }
}

/// Takes the count of a credential back that was accepted.
private struct UncountMigration: Intent {
    let networks: [CountedNetwork]
    let appID: AppID

    var reads: Read<Void> { Read(app: appID) }

    func decide(_: Void) -> Decision<Void> {
        Decision((), networks.map { .uncount(.migrationsOfNetwork($0.digest), app: appID) })
    }
}
