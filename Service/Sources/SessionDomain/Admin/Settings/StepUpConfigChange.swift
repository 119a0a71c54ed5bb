/// A step-up configuration as an operator writes it, before validation. Members have the names of the wire, so that errors
/// can name them.
package struct StepUpConfigChange: Sendable {
    package struct AllowedScope: Sendable {
        package var scope: String
        package var mode: String
        package var delegationHook: String?
        package var direct: Direct?

        package init(scope: String, mode: String, delegationHook: String? = nil, direct: Direct? = nil) {
            self.scope = scope
            self.mode = mode
            self.delegationHook = delegationHook
            self.direct = direct
        }
    }

    package struct Direct: Sendable {
        package var identifierTypes: [String]
        package var status: String
        package var grantedFor: Int?
        package var grantMode: String?
        package var steps: [StepUpStep]?

        package init(
            identifierTypes: [String], status: String, grantedFor: Int? = nil, grantMode: String? = nil,
            steps: [StepUpStep]? = nil
        ) {
            self.identifierTypes = identifierTypes
            self.status = status
            self.grantedFor = grantedFor
            self.grantMode = grantMode
            self.steps = steps
        }
    }

    static let maximumRules = 100

    package var jwksURL: String?
    package var stepKeys: [String]
    package var allowedScopes: [AllowedScope]

    package init(jwksURL: String?, stepKeys: [String], allowedScopes: [AllowedScope]) {
        self.jwksURL = jwksURL
        self.stepKeys = stepKeys
        self.allowedScopes = allowedScopes
    }

    /// Validates all members, in the order of the JSON.
    func validated(egress: any Egress, at now: Timestamp) throws(Refusal) -> StepUpConfig {
        let url = jwksURL.flatMap { $0.isEmpty ? nil : $0 }
        if let url { try egress.check(url, field: "jwks_url") }
        guard stepKeys.count <= 50, Set(stepKeys).count == stepKeys.count,
            stepKeys.allSatisfy(StepUpStep.isWellFormed(key:)),
            Set(stepKeys).isDisjoint(with: StepUpStep.ownKeys)
        else {
            throw .invalidField(
                "step_keys", "must be at most 50 different keys of letters, digits and . - _ : beside the built-in ones"
            )
        }
        guard stepKeys.isEmpty || url != nil else {
            throw .invalidField("jwks_url", "is required: it contains the keys that sign the steps in step_keys")
        }
        guard allowedScopes.count <= Self.maximumRules else {
            throw .invalidField("allowed_scopes", "must have at most \(Self.maximumRules) entries")
        }
        var config = StepUpConfig(jwksURL: url, stepKeys: stepKeys, rules: [], at: now)
        for (index, entry) in allowedScopes.enumerated() {
            config.rules.append(
                try entry.validated(field: "allowed_scopes[\(index)]", beside: config, egress: egress))
        }
        return config
    }
}

extension ScopeRule {
    fileprivate var isDirect: Bool { if case .direct = mode { true } else { false } }
}

extension StepUpConfigChange.AllowedScope {
    /// Validates one rule beside the others of a configuration.
    ///
    /// - Parameter field: The name of the rule in errors.
    func validated(
        field: String, beside config: StepUpConfig, egress: any Egress
    ) throws(Refusal) -> ScopeRule {
        let rule = try rule(field: field, config: config, egress: egress)
        if let other = config.rules.first(where: { $0.scope == rule.scope }), !(other.isDirect && rule.isDirect) {
            throw .invalidField("\(field).scope", "is used twice; only direct rules may repeat a scope")
        }
        guard !config.rules.contains(rule) else {
            throw .invalidField(field, "is the same as an earlier rule, so it would never be used")
        }
        return rule
    }

    private func rule(
        field: String, config: StepUpConfig, egress: any Egress
    ) throws(Refusal) -> ScopeRule {
        guard Scope.isWellFormed(scope) else {
            throw .invalidField("\(field).scope", "must be 1 to 128 letters, digits and . - _ :")
        }
        let isManaged = ReservedScope.registered(by: scope) != nil
        let isOwn = [ReservedScope.writePassword, ReservedScope.writePasskey].contains(scope)
        guard isManaged || isOwn || !ReservedScope.isReserved(scope) else {
            throw .invalidField(
                "\(field).scope", "is reserved: the prefix belongs to the service, which has no such scope")
        }
        guard isManaged == (mode == "managed") else {
            throw .invalidField("\(field).mode", "must be managed for the register scopes, and only for those")
        }
        switch mode {
        case "managed": return ScopeRule(scope: scope, mode: .managed)
        case "delegated":
            guard let delegationHook else {
                throw .invalidField("\(field).delegated.delegation_hook", "is required")
            }
            try egress.check(delegationHook, field: "\(field).delegated.delegation_hook")
            return ScopeRule(scope: scope, mode: .delegated(hook: delegationHook))
        case "direct":
            guard let direct else { throw .invalidField("\(field).direct", "is required") }
            // A registration takes two calls, and a grant for a single use covers one access token.
            guard scope != ReservedScope.writePasskey || direct.grantMode != GrantMode.singleUse.rawValue else {
                throw .invalidField(
                    "\(field).direct.grant_mode", "must be session-bound or profile-bound for \(scope)")
            }
            return ScopeRule(scope: scope, mode: try direct.mode(field: "\(field).direct", config: config))
        default: throw .invalidField("\(field).mode", "must be delegated, direct or managed")
        }
    }
}

extension StepUpConfigChange.Direct {
    fileprivate func mode(field: String, config: StepUpConfig) throws(Refusal) -> ScopeRule.Mode {
        let types = identifierTypes.compactMap { IdentifierType(rawValue: $0) }
        guard !types.isEmpty, types.count == identifierTypes.count, Set(types).count == types.count else {
            throw .invalidField("\(field).identifier_types", "must be phone_number, email_address or both")
        }
        guard let status = StepUpStatus(rawValue: status) else {
            throw .invalidField("\(field).status", "must be continue, review or block")
        }
        switch status {
        case .block: return .direct(types, .block)
        case .continue: return .direct(types, .grant(try terms(field: field)))
        case .review:
            return .direct(
                types, .review(try terms(field: field), steps: try validSteps(field: field, config: config)))
        }
    }

    private func terms(field: String) throws(Refusal) -> GrantTerms {
        guard let mode = grantMode.flatMap({ GrantMode(rawValue: $0) }) else {
            throw .invalidField("\(field).grant_mode", "must be single-use, session-bound or profile-bound")
        }
        let seconds = grantedFor ?? 0
        guard (0...GrantTerms.maximumDuration).contains(seconds), seconds > 0 || mode == .singleUse else {
            throw .invalidField(
                "\(field).granted_for", "must be 1 to \(GrantTerms.maximumDuration) seconds; 0 only for single-use")
        }
        return GrantTerms(mode: mode, grantedFor: seconds)
    }

    private func validSteps(field: String, config: StepUpConfig) throws(Refusal) -> [StepUpStep] {
        let steps = steps ?? []
        guard (1...StepUpStep.maximumCount).contains(steps.count) else {
            throw .invalidField("\(field).steps", "must be 1 to \(StepUpStep.maximumCount) steps for the status review")
        }
        for (index, step) in steps.enumerated() {
            let name = "\(field).steps[\(index)]"
            guard config.knows(stepKey: step.key) else {
                throw .invalidField(
                    "\(name).key", "must be verify_sms, verify_email, verify_passkey or one of step_keys")
            }
            guard (0...StepUpStep.maximumDuration).contains(step.expirationDuration) else {
                throw .invalidField(
                    "\(name).expiration_duration", "must be 0 to \(StepUpStep.maximumDuration) seconds")
            }
            guard (0...1000).contains(step.order), !steps[..<index].contains(where: { $0.order == step.order }) else {
                throw .invalidField("\(name).order", "must be 0 to 1000, and different for each step")
            }
            guard !steps[..<index].contains(where: { $0.key == step.key }) else {
                throw .invalidField("\(name).key", "is used twice")
            }
        }
        return steps.sorted { $0.order < $1.order }
    }
}
