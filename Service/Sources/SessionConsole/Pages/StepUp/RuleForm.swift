import SessionDomain

/// The fields of a step-up rule. Their names are those of the members in errors of `StepUpManagement.setRule`.
struct RuleForm {
    /// Who decides. The raw values appear in paths and on the wire.
    enum Mode: String {
        case direct, delegated, managed

        init(_ rule: ScopeRule) {
            switch rule.mode {
            case .direct: self = .direct
            case .delegated: self = .delegated
            case .managed: self = .managed
            }
        }

        /// The mode of the form that has these fields. `nil` for another form.
        init?(of form: FormBody) {
            guard form.text(RuleForm.scope) != nil else { return nil }
            self = form.text(RuleForm.hook) != nil ? .delegated : form.text(RuleForm.status) != nil ? .direct : .managed
        }

        var title: String {
            switch self {
            case .direct: "Add a rule"
            case .delegated: "Let your backend decide"
            case .managed: "Allow new identifiers"
            }
        }

        var explanation: String {
            switch self {
            case .direct: "The rule says what a user does to get a scope, and for how long the scope is granted."
            case .delegated:
                "The service asks your backend at each request. The answer can be no, yes, or yes after steps."
            case .managed: "Users can add a phone number or an e-mail address to their account. The service decides."
            }
        }
    }

    private static let (scope, types) = ("rule.scope", "rule.direct.identifier_types")
    private static let (status, grantMode) = ("rule.direct.status", "rule.direct.grant_mode")
    private static let (grantedFor, hook) = ("rule.direct.granted_for", "rule.delegated.delegation_hook")

    private static func key(_ row: Int) -> String { "rule.direct.steps[\(row)].key" }
    private static func duration(_ row: Int) -> String { "rule.direct.steps[\(row)].expiration_duration" }

    private let mode: Mode
    private let stored: ScopeRule?
    private let app: App

    init(_ mode: Mode, _ stored: ScopeRule?, _ app: App) {
        (self.mode, self.stored, self.app) = (mode, stored, app)
    }

    private var direct: (types: [IdentifierType], terms: GrantTerms?, steps: [StepUpStep], status: StepUpStatus)? {
        guard case .direct(let types, let decision) = stored?.mode else { return nil }
        return switch decision {
        case .block: (types, nil, [], .block)
        case .grant(let terms): (types, terms, [], .continue)
        case .review(let terms, let steps): (types, terms, steps, .review)
        }
    }

    /// Two rows more than there are steps, because the page has no script that adds one, and all rows that were entered.
    private func rows(_ form: FormView) -> Int {
        let entered = (0..<StepUpStep.maximumCount).count { form.problem?.entered.text(Self.key($0)) != nil }
        return min(max(4, entered, (direct?.steps.count ?? 0) + 2), StepUpStep.maximumCount)
    }
}

// MARK: Writing

extension RuleForm {
    func fields(_ form: FormView) -> HTML {
        switch mode {
        case .managed:
            form.choice(
                Self.scope, "What users can add",
                [
                    (ReservedScope.registerPhone, "A phone number"), (ReservedScope.registerEmail, "An e-mail address"),
                ], selected: stored?.scope ?? ReservedScope.registerPhone)
        case .delegated:
            HTML(joining: [
                scopeField(form),
                form.text(
                    Self.hook, "URL of your backend", hookURL,
                    hint: "The service sends each request for the scope to it.",
                    type: "url", isRequired: true),
            ])
        case .direct: HTML(joining: [scopeField(form), decision(form)])
        }
    }

    private var hookURL: String? { if case .delegated(let hook) = stored?.mode { hook } else { nil } }

    private func scopeField(_ form: FormView) -> HTML {
        form.text(
            Self.scope, "Scope", stored?.scope,
            hint: "Letters, digits and . - _ : such as payments:write. It is registered if it is new. "
                + "\(ReservedScope.writePassword) lets a user change the password, and \(ReservedScope.writePasskey) "
                + "register, rename and delete passkeys.",
            isRequired: true)
    }

    private func decision(_ form: FormView) -> HTML {
        let (email, phone) = (IdentifierType.emailAddress.rawValue, IdentifierType.phoneNumber.rawValue)
        let terms = direct?.terms ?? GrantTerms(mode: .sessionBound, grantedFor: 300)
        return HTML(joining: [
            form.choice(
                Self.types, "Users",
                [
                    (email + " " + phone, "With an e-mail address or a phone number"),
                    (email, "With an e-mail address"), (phone, "With a phone number"),
                ], selected: direct.map { $0.types.map(\.rawValue).sorted().joined(separator: " ") } ?? email,
                hint: "The first rule of the scope that fits the user is used."),
            form.choice(
                Self.status, "Decision",
                [
                    (StepUpStatus.review.rawValue, "Granted after steps"),
                    (StepUpStatus.continue.rawValue, "Granted at once"), (StepUpStatus.block.rawValue, "Denied"),
                ], selected: (direct?.status ?? .review).rawValue),
            H.div(.class("steps only-review")) { steps(form) },
            H.div(.class("unless-block")) {
                form.group("Grant") {
                    form.choice(
                        Self.grantMode, "The scope is in",
                        [
                            (GrantMode.singleUse.rawValue, "One access token"),
                            (GrantMode.sessionBound.rawValue, "The access tokens of the session"),
                            (GrantMode.profileBound.rawValue, "The access tokens of all sessions of the user"),
                        ], selected: terms.mode.rawValue,
                        hint: "\(ReservedScope.writePasskey) needs more than one token: a registration is two calls.")
                    form.number(
                        Self.grantedFor, "For how long, in seconds", terms.grantedFor,
                        hint: "1 to 86400, from the last step. 0 with one access token: until it expires.")
                }
            },
        ])
    }

    private func steps(_ form: FormView) -> HTML {
        let steps = direct?.steps ?? [StepUpStep(order: 1, key: StepUpStep.verifyEmail, expirationDuration: 600)]
        var known: [(value: String, label: String)] = [
            ("", "No step"), (StepUpStep.verifyEmail, "A code by e-mail"), (StepUpStep.verifySMS, "A code by SMS"),
            (StepUpStep.verifyPasskey, "A passkey"),
        ]
        known += (app.stepUp?.stepKeys ?? []).map { ($0, "Your step " + $0) }
        let (options, rows) = (known, rows(form))
        return form.group("Steps, in this order") {
            for row in 0..<rows {
                H.div(.class("row")) {
                    form.choice(
                        Self.key(row), "Step \(row + 1)", options, selected: row < steps.count ? steps[row].key : "")
                    form.number(
                        Self.duration(row), "Time for step \(row + 1), in seconds",
                        row < steps.count ? steps[row].expirationDuration : StepUpStep.defaultDuration)
                }
            }
            if rows < StepUpStep.maximumCount {
                H.p(.class("hint")) {
                    "The page of the rule has more rows when these are full. Time 0 means 10 minutes."
                }
            }
        }
    }
}

// MARK: Reading

extension RuleForm {
    /// The rule as it was entered. `StepUpManagement.setRule` validates it.
    func rule(_ form: FormBody) throws(Refusal) -> StepUpConfigChange.AllowedScope {
        let scope = try form.required(Self.scope)
        switch mode {
        case .managed: return .init(scope: scope, mode: mode.rawValue)
        case .delegated:
            try requireOwn(scope)
            return .init(scope: scope, mode: mode.rawValue, delegationHook: try form.required(Self.hook))
        case .direct:
            try requireOwn(scope)
            return .init(scope: scope, mode: mode.rawValue, direct: try decision(form))
        }
    }

    private func requireOwn(_ scope: String) throws(Refusal) {
        guard ReservedScope.registered(by: scope) == nil else {
            throw .invalidField(Self.scope, "is decided by the service; add it with “Allow new identifiers”")
        }
    }

    /// Fields that do not belong to the decision are not read: the page may hide them.
    private func decision(_ form: FormBody) throws(Refusal) -> StepUpConfigChange.Direct {
        let status = try form.choice(Self.status, StepUpStatus.allCases)
        let types = (form.text(Self.types) ?? "").split(separator: " ").map { String($0) }
        let before = direct?.types.map(\.rawValue) ?? []
        var entered = StepUpConfigChange.Direct(
            // In the stored order, so that a rule that is saved unchanged keeps its grants.
            identifierTypes: Set(before) == Set(types) ? before : types, status: status.rawValue)
        guard status != .block else { return entered }
        entered.grantMode = form.text(Self.grantMode)
        entered.grantedFor = try form.number(Self.grantedFor)
        guard status == .review else { return entered }
        entered.steps = try steps(form)
        return entered
    }

    /// The chosen steps. Empty rows below them are left out; one between them is an error, so that each field keeps its number.
    private func steps(_ form: FormBody) throws(Refusal) -> [StepUpStep] {
        let keys = (0..<StepUpStep.maximumCount).map { form.filled(Self.key($0)) }
        let count = keys.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0
        guard count > 0 else { throw .invalidField(Self.key(0), "is required") }
        let before = direct?.steps.map(\.order) ?? []
        var steps: [StepUpStep] = []
        for row in 0..<count {
            guard let key = keys[row] else { throw .invalidField(Self.key(row), "is required before the next one") }
            steps.append(
                StepUpStep(
                    order: count <= before.count ? before[row] : row + 1, key: key,
                    expirationDuration: try form.number(Self.duration(row))))
        }
        return steps
    }
}
