import SessionDomain

/// Says in sentences what a step-up rule means.
enum RuleText {
    /// - Parameter app: The app of the rule, whose settings are part of the meaning.
    static func meaning(of rule: ScopeRule, in app: App) -> String {
        switch rule.mode {
        case .managed: managed(rule.scope, in: app)
        case .delegated(let hook): "Your backend decides on each request for \(rule.scope), at \(hook)."
        case .direct(let types, let decision): direct(rule, types, decision, in: app)
        }
    }

    /// Who decides, for a column of a table.
    static func decider(of rule: ScopeRule) -> String {
        switch rule.mode {
        case .managed: "The service"
        case .delegated: "Your backend"
        case .direct: "This rule"
        }
    }

    private static func managed(_ scope: String, in app: App) -> String {
        let identifier =
            ReservedScope.registered(by: scope) == .phoneNumber ? "a phone number" : "an e-mail address"
        let before =
            app.registersInOneStep
            ? "" : " Before that comes a code to an identifier of the user, unless the login is at most 10 minutes old."
        return "A user can add \(identifier), with a code that is sent to it." + before
    }

    private static func direct(
        _ rule: ScopeRule, _ types: [IdentifierType], _ decision: StepUpDecision, in app: App
    ) -> String {
        let users = types.map { $0 == .phoneNumber ? "a phone number" : "an e-mail address" }.joined(separator: " or ")
        let others = app.stepUp?.rules.prefix { $0 != rule }.contains { $0.scope == rule.scope } ?? false
        let whose = "The rule is for users with \(users)" + (others ? " whom no rule above it fits." : ".")
        return switch decision {
        case .block: "No step-up grants \(rule.scope). " + whose
        case .grant(let terms):
            "\(rule.scope) needs no further step. \(granted(terms, "It is", in: app)) \(whose)"
        case .review(let terms, let steps):
            "\(rule.scope) needs \(list(steps)). \(granted(terms, "Then it is", in: app)) \(whose)"
        }
    }

    private static func list(_ steps: [StepUpStep]) -> String {
        steps.map { step in
            let name =
                switch step.identifierType {
                case .phoneNumber: "a code by SMS"
                case .emailAddress: "a code by e-mail"
                case nil: "your step \(step.key)"
                }
            let seconds = step.expirationDuration > 0 ? step.expirationDuration : StepUpStep.defaultDuration
            return "\(name) within \(Show.duration(seconds))"
        }.joined(separator: ", then ")
    }

    private static func granted(_ terms: GrantTerms, _ begin: String, in app: App) -> String {
        let time = Show.duration(terms.grantedFor)
        return switch terms.mode {
        case .singleUse where terms.grantedFor == 0:
            "\(begin) in one access token, which lives \(Show.duration(app.sessions.accessTokenLifetime))."
        case .singleUse: "\(begin) in one access token, for at most \(time)."
        case .sessionBound: "\(begin) in the access tokens of the session for \(time)."
        case .profileBound: "\(begin) in the access tokens of all sessions of the user for \(time)."
        }
    }
}
