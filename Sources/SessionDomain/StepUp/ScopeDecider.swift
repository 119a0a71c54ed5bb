/// Decides about a scope by the app's rules, for one user.
struct ScopeDecider: Sendable {
    let hook: DelegationHook

    /// What is decided, and the identifier to register if the scope is one of those.
    struct Decided: Equatable {
        var decision: StepUpDecision
        var newIdentifier: CanonicalIdentifier?
    }

    /// - Throws: `Refusal` for a scope that nobody may have, and for a hook that could not say yes.
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

    /// The first direct rule that fits the user; none, or one whose codes have nowhere to go, is a refusal.
    static func direct(_ rules: [ScopeRule], for user: User) throws(Refusal) -> StepUpDecision {
        for rule in rules {
            guard case .direct(let types, let decision) = rule.mode else { continue }
            guard user.identifiers.contains(where: { types.contains($0.type) }) else { continue }
            guard canDo(decision, user) else { throw .scopeIdentifierMismatch }
            return decision
        }
        throw .scopeIdentifierMismatch
    }

    /// Whether the user has what the codes of a decision go to.
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
