internal import Foundation
internal import SessionTokens

/// Login with a credential of an earlier system.
package struct MigrationLogin: Sendable {
    private let store: any UserStore & StepUpStore
    private let keys: KeyRing
    private let call: HookCall
    private let places: AppPlaces
    private let environment: ServiceEnvironment

    static let agent = "Prelude-SessionMigrationHook/1.0"

    init(
        store: any UserStore & StepUpStore, keys: KeyRing, call: HookCall, places: AppPlaces,
        environment: ServiceEnvironment
    ) {
        self.store = store
        self.keys = keys
        self.call = call
        self.places = places
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
        let place = try places.take(app.settings.id)
        defer { withExtendedLifetime(place) {} }
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
            AppendEvents([events.make(.migrationHookFailed, ["reason": .string(failure.rawValue)])]))
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
