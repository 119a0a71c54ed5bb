internal import Crypto
internal import Foundation
internal import SessionTokens

/// How one app decides on requests for scopes.
package struct StepUpConfig: Sendable, Equatable, Codable {
    /// The URL of the keys that sign custom steps with RS256. `nil` without custom steps.
    package var jwksURL: String?
    /// The keys of custom steps.
    package var stepKeys: [String]
    package var rules: [ScopeRule]
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(jwksURL: String?, stepKeys: [String], rules: [ScopeRule], at time: Timestamp) {
        self.jwksURL = jwksURL
        self.stepKeys = stepKeys
        self.rules = rules
        createdAt = time
        updatedAt = time
    }

    /// Whether a step with this key exists.
    package func knows(stepKey: String) -> Bool {
        StepUpStep.ownKeys.contains(stepKey) || stepKeys.contains(stepKey)
    }
}

/// A rule for one scope. A scope may have several direct rules, for users with different identifiers.
package struct ScopeRule: Sendable, Equatable, Codable {
    package enum Mode: Sendable, Equatable, Codable {
        /// The operator's hook at this URL.
        case delegated(hook: String)
        /// This decision, for users with an identifier of one of these types.
        case direct([IdentifierType], StepUpDecision)
        /// The service: the reserved scopes that register an identifier.
        case managed
    }

    package var scope: String
    package var mode: Mode

    package init(scope: String, mode: Mode) {
        self.scope = scope
        self.mode = mode
    }
}

/// The decision on a request for a scope, by configuration or by the operator's hook.
package enum StepUpDecision: Sendable, Equatable, Codable {
    /// Denied.
    case block
    /// Granted at once.
    case grant(GrantTerms)
    /// Granted after these steps.
    case review(GrantTerms, steps: [StepUpStep])

    /// Whether the user has the identifiers that its codes are sent to.
    func isPossible(for user: User, at now: Timestamp) -> Bool {
        guard case .review(_, let steps) = self else { return true }
        let types = user.establishedIdentifiers(at: now).map(\.type)
        return steps.compactMap(\.identifierType).allSatisfy(types.contains)
    }
}

package enum StepUpStatus: String, Sendable, Codable, CaseIterable {
    case `continue`
    case review
    case block
}

/// How long a scope is granted, and for which tokens.
package struct GrantTerms: Sendable, Equatable, Codable {
    package var mode: GrantMode
    /// Seconds from completion. 0 is valid for single use only: as long as its one access token.
    package var grantedFor: Int

    package init(mode: GrantMode, grantedFor: Int) {
        self.mode = mode
        self.grantedFor = grantedFor
    }

    package static let maximumDuration = 86_400
}

/// One step of a step-up: a code to an identifier of the user, a passkey, or a custom step of the operator.
package struct StepUpStep: Sendable, Equatable, Codable {
    /// Steps are completed in this order.
    package var order: Int
    package var key: String
    /// Seconds to complete the step, from the moment it is the next one. 0 means `defaultDuration`.
    package var expirationDuration: Int

    package init(order: Int, key: String, expirationDuration: Int) {
        self.order = order
        self.key = key
        self.expirationDuration = expirationDuration
    }

    package static let verifySMS = "verify_sms"
    package static let verifyEmail = "verify_email"
    package static let verifyPasskey = "verify_passkey"
    /// The keys of the steps that the service itself knows.
    package static let ownKeys = [verifySMS, verifyEmail, verifyPasskey]
    package static let maximumDuration = 86_400
    package static let defaultDuration = 600
    /// Maximum number of steps of a challenge.
    package static let maximumCount = 10

    var lifetime: Int { expirationDuration > 0 ? expirationDuration : Self.defaultDuration }

    /// The key of the step whose code goes to this kind of identifier.
    package static func key(for type: IdentifierType) -> String {
        switch type {
        case .phoneNumber: verifySMS
        case .emailAddress: verifyEmail
        }
    }

    /// Whether the operator's backend confirms the step.
    package var isCustom: Bool { !Self.ownKeys.contains(key) }

    /// The kind of identifier that the code is sent to. `nil` for a step without a code.
    package var identifierType: IdentifierType? {
        switch key {
        case Self.verifySMS: .phoneNumber
        case Self.verifyEmail: .emailAddress
        default: nil
        }
    }

    /// Whether a key matches `^[a-zA-Z0-9._:-]+$` and has at most 128 characters, as a scope does.
    package static func isWellFormed(key: String) -> Bool { Scope.isWellFormed(key) }
}

extension ScopeRule {
    /// Names the rule by its content. A page that was opened before another operator changed the rule names one that does not
    /// exist any more. Equal rules have the same id; only the first of them is ever used.
    package var id: String {
        let content = (try? TokenJSON.encode(self)) ?? Data()
        return Base64URL.encode(Data(SHA256.hash(data: content)).prefix(12))
    }
}

extension StepUpConfig {
    /// - Throws: `Refusal.notFound` if no rule has this id.
    func place(of id: String) throws(Refusal) -> Int {
        guard let place = rules.firstIndex(where: { $0.id == id }) else {
            throw .notFound("there is no such rule; it may have been changed or removed")
        }
        return place
    }
}

/// Decides on a request for a scope, by the rules of the app.
struct ScopeDecider: Sendable {
    let hook: DelegationHook

    /// A decision, and the identifier to register if the scope is a register scope.
    struct Decided: Equatable {
        var decision: StepUpDecision
        var newIdentifier: CanonicalIdentifier?
    }

    /// - Throws: `Refusal` for a scope that is not available, and for a hook that does not allow it.
    func decide(
        _ scope: String, metadata: StepUpMetadata, for caller: SignedIn, app: AppRuntime, client: ClientFacts,
        now: Timestamp
    ) async throws -> Decided {
        guard Scope.isWellFormed(scope) else {
            throw Refusal.invalidField("scope", "must be 1 to 128 letters, digits and . - _ :")
        }
        guard let config = app.settings.stepUp else { throw Refusal.stepUpNotConfigured }
        let rules = config.rules.filter { $0.scope == scope }
        guard let first = rules.first, app.settings.scopes.contains(scope) else { throw Refusal.scopeNotAllowed }
        switch first.mode {
        case .managed:
            guard let type = ReservedScope.registered(by: scope) else { throw Refusal.scopeNotAllowed }
            guard caller.user.identifiers.count < User.maximumIdentifiers else { throw Refusal.identifiersFull }
            let identifier = try metadata.newIdentifier(of: type)
            let registration = try Self.registration(
                of: type, for: caller.user, session: caller.session, app: app.settings, now: now)
            return Decided(decision: registration, newIdentifier: identifier)
        case .delegated(let url):
            let decision = try await hook.ask(
                url, scope: scope, metadata: metadata, caller: caller, app: app, config: config, client: client,
                now: now)
            return Decided(decision: decision)
        case .direct:
            return Decided(decision: try Self.direct(rules, for: caller.user, now: now))
        }
    }

    /// The decision of the first direct rule that fits the user. Throws if no rule fits, or if a code of the rule has
    /// no recipient. A held identifier fits no rule.
    static func direct(_ rules: [ScopeRule], for user: User, now: Timestamp) throws(Refusal) -> StepUpDecision {
        let identifiers = user.establishedIdentifiers(at: now)
        for rule in rules {
            guard case .direct(let types, let decision) = rule.mode else { continue }
            guard identifiers.contains(where: { types.contains($0.type) }) else { continue }
            guard decision.isPossible(for: user, at: now) else { throw .scopeIdentifierMismatch }
            return decision
        }
        throw .scopeIdentifierMismatch
    }

    /// The steps that register an identifier: a code to the new one, and before it a code to one that the user has, or a
    /// passkey of a user who has none.
    ///
    /// - Throws: `Refusal.forbidden` if each identifier of the user is held, and the user has no passkey.
    static func registration(
        of type: IdentifierType, for user: User, session: Session, app: App, now: Timestamp
    ) throws(Refusal) -> StepUpDecision {
        var keys = [StepUpStep.key(for: type)]
        if !app.registersInOneStep, needsExistingIdentifier(user, session, app, now: now) {
            if let existing = user.establishedIdentifiers(at: now).first {
                keys.insert(StepUpStep.key(for: existing.type), at: 0)
            } else if user.hasPasskey {
                keys.insert(StepUpStep.verifyPasskey, at: 0)
            } else {
                throw held
            }
        }
        let steps = keys.enumerated().map { index, key in
            StepUpStep(order: index + 1, key: key, expirationDuration: StepUpStep.defaultDuration)
        }
        return .review(GrantTerms(mode: .singleUse, grantedFor: 0), steps: steps)
    }

    private static let held = Refusal.forbidden(
        "the identifiers of the user are too new to confirm another one; try again when their hold has ended")

    /// A fresh login is as strong as a code, unless it may have been made with an identifier that is held.
    private static func needsExistingIdentifier(_ user: User, _ session: Session, _ app: App, now: Timestamp) -> Bool {
        guard !user.identifiers.isEmpty || user.hasPasskey else { return false }
        return !session.isFresh(for: user, lasting: app.freshLogin, at: now)
    }
}

/// Asks the operator's backend whether to grant a scope. Every failure blocks the scope and stores an event with the reason.
struct DelegationHook: Sendable {
    let call: HookCall
    let slots: AppSlots
    let store: any IntentStore
    let environment: ServiceEnvironment

    static let agent = "Prelude-SessionStepUpHook/1.0"
    /// Seconds for the whole call.
    static let timeout = 5

    private struct Body: Encodable {
        let scopeRequested: String
        let userID: String
        let identifiers: [Identifier]
        let signals: Signals
        let metadata: [String: String]?

        struct Identifier: Encodable {
            let type: String
            let value: String
        }

        private enum CodingKeys: String, CodingKey {
            case identifiers, signals, metadata
            case scopeRequested = "scope_requested"
            case userID = "user_id"
        }
    }

    /// Posts the request and returns the hook's decision. Identifiers that are held are left out, so that no decision rests
    /// on them.
    ///
    /// - Throws: `Refusal.authBlocked` if the call fails or the answer is invalid.
    func ask(
        _ url: String, scope: String, metadata: StepUpMetadata, caller: SignedIn, app: AppRuntime,
        config: StepUpConfig, client: ClientFacts, now: Timestamp
    ) async throws -> StepUpDecision {
        let body = Body(
            scopeRequested: scope, userID: caller.user.id,
            identifiers: caller.user.establishedIdentifiers(at: now).map {
                .init(type: $0.type.rawValue, value: $0.value)
            },
            signals: Signals(client),
            metadata: metadata.values.isEmpty ? nil : metadata.values)
        do {
            let answer = try await call.answer(
                to: body, url: url, agent: Self.agent, timeout: Self.timeout, app: app, at: slots)
            let decision = try HookAnswer.read(answer, knows: config.knows(stepKey:))
            guard decision.isPossible(for: caller.user, at: now) else { throw HookFailure.invalidStep }
            return decision
        } catch let failure as HookFailure {
            let events = EventFactory(appID: app.settings.id, environment: environment)
            try await store.perform(
                AppendEvents([
                    events.make(
                        .stepUpHookFailed,
                        [
                            "user_id": .string(caller.user.id), "session_id": .string(caller.session.id),
                            "scope": .string(scope), "reason": .string(failure.rawValue),
                        ], reporting: .hookFailed(failure))
                ]))
            throw Refusal.authBlocked
        }
    }
}
