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
        _ scope: String, metadata: StepUpMetadata, for caller: SignedIn, app: AppRuntime, client: ClientFacts
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
            return Decided(
                decision: Self.registration(of: type), newIdentifier: try metadata.newIdentifier(of: type))
        case .delegated(let url):
            let decision = try await hook.ask(
                url, scope: scope, metadata: metadata, caller: caller, app: app, config: config, client: client)
            return Decided(decision: decision)
        case .direct:
            return Decided(decision: try Self.direct(rules, for: caller.user))
        }
    }

    /// The decision of the first direct rule that fits the user. Throws if no rule fits, or if a code of the rule has
    /// no recipient.
    static func direct(_ rules: [ScopeRule], for user: User) throws(Refusal) -> StepUpDecision {
        for rule in rules {
            guard case .direct(let types, let decision) = rule.mode else { continue }
            guard user.identifiers.contains(where: { types.contains($0.type) }) else { continue }
            guard canDo(decision, user) else { throw .scopeIdentifierMismatch }
            return decision
        }
        throw .scopeIdentifierMismatch
    }

    /// Whether the user has the identifiers that the codes of a decision are sent to.
    static func canDo(_ decision: StepUpDecision, _ user: User) -> Bool {
        guard case .review(_, let steps) = decision else { return true }
        return steps.compactMap(\.identifierType).allSatisfy { type in
            user.identifiers.contains { $0.type == type }
        }
    }

    private static func registration(of type: IdentifierType) -> StepUpDecision {
        let key =
            switch type {
            case .phoneNumber: StepUpStep.verifySMS
            case .emailAddress: StepUpStep.verifyEmail
            }
        return .review(
            GrantTerms(mode: .singleUse, grantedFor: 0),
            steps: [StepUpStep(order: 1, key: key, expirationDuration: StepUpStep.defaultDuration)])
    }
}
