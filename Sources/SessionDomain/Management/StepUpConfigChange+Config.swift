extension StepUpConfigChange {
    /// A stored configuration, to be changed. Without one, an empty configuration.
    init(_ config: StepUpConfig?) {
        self.init(
            jwksURL: config?.jwksURL, stepKeys: config?.stepKeys ?? [],
            allowedScopes: config?.rules.map(AllowedScope.init) ?? [])
    }
}

extension StepUpConfigChange.AllowedScope {
    fileprivate init(_ rule: ScopeRule) {
        switch rule.mode {
        case .managed: self.init(scope: rule.scope, mode: "managed")
        case .delegated(let hook): self.init(scope: rule.scope, mode: "delegated", delegationHook: hook)
        case .direct(let types, let decision):
            self.init(scope: rule.scope, mode: "direct", direct: .init(types.map(\.rawValue), decision))
        }
    }
}

extension StepUpConfigChange.Direct {
    fileprivate init(_ types: [String], _ decision: StepUpDecision) {
        switch decision {
        case .block: self.init(identifierTypes: types, status: StepUpStatus.block.rawValue)
        case .grant(let terms): self.init(types, .continue, terms)
        case .review(let terms, let steps): self.init(types, .review, terms, steps)
        }
    }

    private init(_ types: [String], _ status: StepUpStatus, _ terms: GrantTerms, _ steps: [StepUpStep]? = nil) {
        self.init(
            identifierTypes: types, status: status.rawValue, grantedFor: terms.grantedFor,
            grantMode: terms.mode.rawValue, steps: steps)
    }
}
