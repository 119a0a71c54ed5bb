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
            guard canDo(decision, user, now: now) else { throw .scopeIdentifierMismatch }
            return decision
        }
        throw .scopeIdentifierMismatch
    }

    /// Whether the user has the identifiers that the codes of a decision are sent to.
    static func canDo(_ decision: StepUpDecision, _ user: User, now: Timestamp) -> Bool {
        guard case .review(_, let steps) = decision else { return true }
        let types = user.establishedIdentifiers(at: now).map(\.type)
        return steps.compactMap(\.identifierType).allSatisfy(types.contains)
    }

    /// The steps that register an identifier: a code to the new one, and before it a code to one that the user has.
    ///
    /// - Throws: `Refusal.forbidden` if each identifier of the user is held.
    static func registration(
        of type: IdentifierType, for user: User, session: Session, app: App, now: Timestamp
    ) throws(Refusal) -> StepUpDecision {
        var types = [type]
        if !app.registersInOneStep, needsExistingIdentifier(user, session, now: now) {
            guard let existing = user.establishedIdentifiers(at: now).first else { throw held }
            types.insert(existing.type, at: 0)
        }
        let steps = types.enumerated().map { index, type in
            StepUpStep(
                order: index + 1, key: StepUpStep.key(for: type), expirationDuration: StepUpStep.defaultDuration)
        }
        return .review(GrantTerms(mode: .singleUse, grantedFor: 0), steps: steps)
    }

    private static let held = Refusal.forbidden(
        "the identifiers of the user are too new to confirm another one; try again when their hold has ended")

    /// A fresh login is as strong as a code, unless it may have been made with an identifier that is held.
    private static func needsExistingIdentifier(_ user: User, _ session: Session, now: Timestamp) -> Bool {
        guard !user.identifiers.isEmpty else { return false }
        return user.hasHeldIdentifier(at: now) || session.createdAt + ReservedScope.freshLogin < now
    }
}
