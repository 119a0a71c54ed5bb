import SessionDomain

/// One step-up rule: the page on which it is added, and the page on which it is changed.
enum RulePage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/step-up/new/:mode", showNew)
        routes.appForm("/step-up/new/:mode", on: showNew) { console, form in
            let entered = try RuleForm(try mode(console), nil, console.app).rule(form)
            let next = try console.service.stepUpConfig.config(of: console.app, setting: entered)
            let path = console.stepUp / "new" / (try mode(console).rawValue)
            if let page = try await confirmation("Add the rule", form, to: path, next, console) { return page }
            _ = try await console.service.stepUpConfig.setRule(entered, app: console.app.id)
            return .redirect(console.stepUp, .created)
        }
        routes.appPage("/step-up/rules/:rule_id", show)
        routes.appForm("/step-up/rules/:rule_id", on: show) { console, form in
            let stored = try rule(console)
            let entered = try RuleForm(RuleForm.Mode(stored), stored, console.app).rule(form)
            let next = try console.service.stepUpConfig.config(of: console.app, setting: entered, replacing: stored.id)
            let path = console.stepUp / "rules" / stored.id
            if let page = try await confirmation("Save the rule", form, to: path, next, console) { return page }
            _ = try await console.service.stepUpConfig.setRule(entered, replacing: stored.id, app: console.app.id)
            return .redirect(console.stepUp, .saved)
        }
        routes.appForm("/step-up/rules/:rule_id/raise", on: show) { console, form in
            let id = try rule(console).id
            let next = try console.service.stepUpConfig.config(of: console.app, raising: id)
            let path = console.stepUp / "rules" / id / "raise"
            if let page = try await confirmation("Move the rule up", form, to: path, next, console) { return page }
            _ = try await console.service.stepUpConfig.raiseRule(id, app: console.app.id)
            return .redirect(console.stepUp, .saved)
        }
    }

    /// The rule of the path.
    static func rule(_ console: ConsoleAppContext) throws(Refusal) -> ScopeRule {
        let id = console.parameter("rule_id")
        guard let rule = console.app.stepUp?.rules.first(where: { $0.id == id }) else {
            throw .notFound("there is no such rule; it may have been changed or removed")
        }
        return rule
    }

    /// The page before rules are stored that end what step-ups have granted to users.
    private static func confirmation(
        _ title: String, _ form: FormBody, to path: ConsolePath, _ config: StepUpConfig, _ console: ConsoleAppContext
    ) async throws -> FormOutcome? {
        var next = console.app
        next.stepUp = config
        let ended = console.app.grantableScopes.subtracting(next.scopesKept(from: console.app))
        return try await SettingsConfirmation.page(
            title, form, to: path, in: .stepUp,
            consequences: try await AffectedUsers.losing(ended, console), console)
    }

    private static func mode(_ console: ConsoleAppContext) throws(Refusal) -> RuleForm.Mode {
        guard let mode = RuleForm.Mode(rawValue: console.parameter("mode")) else {
            throw .notFound("there is no such page")
        }
        return mode
    }

    @Sendable private static func showNew(_ console: ConsoleAppContext) async throws -> Page {
        let mode = try mode(console)
        return Page(mode.title, app: console.app, section: .stepUp, parent: ("Step-up", console.stepUp)) {
            H.p(.class("lead")) { mode.explanation }
            card(
                console, RuleForm(mode, nil, console.app), console.stepUp / "new" / mode.rawValue,
                submit: "Add the rule")
        }
    }

    @Sendable private static func show(_ console: ConsoleAppContext) async throws -> Page {
        let rule: ScopeRule
        do {
            rule = try Self.rule(console)
        } catch {
            guard let page = pageOfLostRule(console) else { throw error }
            return page
        }
        let path = console.stepUp / "rules" / rule.id
        let ends = console.context.canWrite ? try await AffectedUsers.granted(rule.scope, console) : []
        let isSecond = console.app.stepUp?.rules.prefix { $0 != rule }.contains { $0.scope == rule.scope } ?? false
        return Page(rule.scope, app: console.app, section: .stepUp, parent: ("Step-up", console.stepUp)) {
            Format.card("What the rule means") {
                H.p { RuleText.meaning(of: rule, in: console.app) }
                if console.context.canWrite {
                    if isSecond {
                        FormView.form(
                            console.context, path / "raise", id: "raise", submit: "Move up", style: "",
                            label: "Move up, above the previous rule of its scope", replacing: console.app)
                    }
                    H.div(.class("actions")) { Link.button("Remove the rule", path / "remove", "danger") }
                }
            }
            card(console, RuleForm(RuleForm.Mode(rule), rule, console.app), path, submit: "Save", ends: ends)
        }
    }

    /// The page of a rule that was changed or removed while its form was filled in, so that what was entered is not lost.
    private static func pageOfLostRule(_ console: ConsoleAppContext) -> Page? {
        guard let problem = console.context.problem, let mode = RuleForm.Mode(of: problem.entered) else { return nil }
        // Of a scope that the backend or the service decides on, there is one rule only.
        let stored = console.app.stepUp?.rules.first { rule in
            mode != .direct && rule.scope == problem.entered.filled("rule.scope") && RuleForm.Mode(rule) == mode
        }
        let path = stored.map { console.stepUp / "rules" / $0.id } ?? console.stepUp / "new" / mode.rawValue
        let effect =
            switch (stored, mode) {
            case (.some, _): "The button saves it in place of the rule that the scope has now."
            case (nil, .direct):
                "The button adds a rule. Of several rules for a scope, the first one that fits the user counts, and the new "
                    + "one is the last."
            case (nil, _): "The button adds a rule."
            }
        var again = console.context
        again.problem = problem.moved(to: path)
        return Page("The rule has changed", app: console.app, section: .stepUp, parent: ("Step-up", console.stepUp)) {
            H.section(.class("card")) {
                H.p(.class("hint")) {
                    "The rule was changed or removed while you changed it. What you entered is below. Look at "
                    H.a(.href(console.stepUp)) { "the rules of the app" }
                    " in another tab first. " + effect
                }
                FormView.form(again, path, id: "rule", submit: stored == nil ? "Add the rule" : "Save") { form in
                    form.hidden(FormView.versionField, console.app.version)
                    RuleForm(mode, nil, console.app).fields(form)
                }
            }
        }
    }

    /// - Parameter ends: What a changed rule ends.
    private static func card(
        _ console: ConsoleAppContext, _ rule: RuleForm, _ path: ConsolePath, submit: String, ends: [String] = []
    ) -> HTML {
        guard console.context.canWrite else { return .empty }
        return H.section(.class("card")) {
            FormView.form(console.context, path, id: "rule", submit: submit, replacing: console.app) { rule.fields($0) }
            H.p(.class("hint")) {
                "A rule that is added, changed or moved ends the step-ups of its scope, and what they have granted."
                for end in ends { " " + end }
            }
        }
    }
}

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
        let passkey = app.passkeys == nil ? "" : ", or a passkey of a user without identifiers"
        let before =
            app.registersInOneStep
            ? ""
            : " Before that comes a code to an identifier of the user" + passkey
                + (app.freshLogin > 0 ? ", unless the login is at most \(Format.duration(app.freshLogin)) old." : ".")
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
                + passkeys(for: steps, in: app)
        }
    }

    /// Who cannot complete the steps.
    private static func passkeys(for steps: [StepUpStep], in app: App) -> String {
        guard steps.contains(where: { $0.key == StepUpStep.verifyPasskey }) else { return "" }
        return app.passkeys == nil
            ? " Passkeys are not configured, so no user gets it." : " A user without a passkey does not get it."
    }

    private static func list(_ steps: [StepUpStep]) -> String {
        steps.map { step in
            let name =
                switch step.key {
                case StepUpStep.verifySMS: "a code by SMS"
                case StepUpStep.verifyEmail: "a code by e-mail"
                case StepUpStep.verifyPasskey: "a passkey"
                default: "your step \(step.key)"
                }
            let seconds = step.expirationDuration > 0 ? step.expirationDuration : StepUpStep.defaultDuration
            return "\(name) within \(Format.duration(seconds))"
        }.joined(separator: ", then ")
    }

    private static func granted(_ terms: GrantTerms, _ begin: String, in app: App) -> String {
        let time = Format.duration(terms.grantedFor)
        return switch terms.mode {
        case .singleUse where terms.grantedFor == 0:
            "\(begin) in one access token, which lives \(Format.duration(app.sessions.accessTokenLifetime))."
        case .singleUse: "\(begin) in one access token, for at most \(time)."
        case .sessionBound: "\(begin) in the access tokens of the session for \(time)."
        case .profileBound: "\(begin) in the access tokens of all sessions of the user for \(time)."
        }
    }
}
