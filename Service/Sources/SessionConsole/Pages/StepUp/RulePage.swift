import SessionDomain

/// One step-up rule: the page on which it is added, and the page on which it is changed.
enum RulePage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/step-up/new/:mode", showNew)
        routes.appForm("/step-up/new/:mode", on: showNew) { visit, form in
            let entered = try RuleForm(try mode(visit), nil, visit.app).rule(form)
            let next = try visit.service.stepUpConfig.config(of: visit.app, setting: entered)
            let path = visit.stepUp / "new" / (try mode(visit).rawValue)
            if let page = try await confirmation("Add the rule", form, to: path, next, visit) { return page }
            _ = try await visit.service.stepUpConfig.setRule(entered, app: visit.app.id)
            return .redirect(visit.stepUp, .created)
        }
        routes.appPage("/step-up/rules/:rule_id", show)
        routes.appForm("/step-up/rules/:rule_id", on: show) { visit, form in
            let stored = try rule(visit)
            let entered = try RuleForm(RuleForm.Mode(stored), stored, visit.app).rule(form)
            let next = try visit.service.stepUpConfig.config(of: visit.app, setting: entered, replacing: stored.id)
            let path = visit.stepUp / "rules" / stored.id
            if let page = try await confirmation("Save the rule", form, to: path, next, visit) { return page }
            _ = try await visit.service.stepUpConfig.setRule(entered, replacing: stored.id, app: visit.app.id)
            return .redirect(visit.stepUp, .saved)
        }
        routes.appForm("/step-up/rules/:rule_id/raise", on: show) { visit, form in
            let id = try rule(visit).id
            let next = try visit.service.stepUpConfig.config(of: visit.app, raising: id)
            let path = visit.stepUp / "rules" / id / "raise"
            if let page = try await confirmation("Move the rule up", form, to: path, next, visit) { return page }
            _ = try await visit.service.stepUpConfig.raiseRule(id, app: visit.app.id)
            return .redirect(visit.stepUp, .saved)
        }
    }

    /// The rule of the path.
    static func rule(_ visit: AppVisit) throws(Refusal) -> ScopeRule {
        let id = visit.parameter("rule_id")
        guard let rule = visit.app.stepUp?.rules.first(where: { $0.id == id }) else {
            throw .notFound("there is no such rule; it may have been changed or removed")
        }
        return rule
    }

    /// The page before rules are stored that end what step-ups have granted to users.
    private static func confirmation(
        _ title: String, _ form: FormBody, to path: ConsolePath, _ config: StepUpConfig, _ visit: AppVisit
    ) async throws -> FormOutcome? {
        var next = visit.app
        next.stepUp = config
        let ended = visit.app.grantableScopes.subtracting(next.scopesKept(from: visit.app))
        return try await SettingsConfirmation.page(
            title, form, to: path, in: .stepUp,
            consequences: try await AffectedUsers.losing(ended, visit), visit)
    }

    private static func mode(_ visit: AppVisit) throws(Refusal) -> RuleForm.Mode {
        guard let mode = RuleForm.Mode(rawValue: visit.parameter("mode")) else {
            throw .notFound("there is no such page")
        }
        return mode
    }

    @Sendable private static func showNew(_ visit: AppVisit) async throws -> Page {
        let mode = try mode(visit)
        return Page(mode.title, app: visit.app, section: .stepUp, parent: ("Step-up", visit.stepUp)) {
            H.p(.class("lead")) { mode.explanation }
            card(visit, RuleForm(mode, nil, visit.app), visit.stepUp / "new" / mode.rawValue, submit: "Add the rule")
        }
    }

    @Sendable private static func show(_ visit: AppVisit) async throws -> Page {
        let rule: ScopeRule
        do {
            rule = try Self.rule(visit)
        } catch {
            guard let page = pageOfLostRule(visit) else { throw error }
            return page
        }
        let path = visit.stepUp / "rules" / rule.id
        let ends = visit.visit.canWrite ? try await AffectedUsers.granted(rule.scope, visit) : []
        let isSecond = visit.app.stepUp?.rules.prefix { $0 != rule }.contains { $0.scope == rule.scope } ?? false
        return Page(rule.scope, app: visit.app, section: .stepUp, parent: ("Step-up", visit.stepUp)) {
            Show.card("What the rule means") {
                H.p { RuleText.meaning(of: rule, in: visit.app) }
                if visit.visit.canWrite {
                    if isSecond {
                        FormView.form(
                            visit.visit, path / "raise", id: "raise", submit: "Move up", style: "",
                            label: "Move up, above the previous rule of its scope", replacing: visit.app)
                    }
                    H.div(.class("actions")) { Link.button("Remove the rule", path / "remove", "danger") }
                }
            }
            card(visit, RuleForm(RuleForm.Mode(rule), rule, visit.app), path, submit: "Save", ends: ends)
        }
    }

    /// The page of a rule that was changed or removed while its form was filled in, so that what was entered is not lost.
    private static func pageOfLostRule(_ visit: AppVisit) -> Page? {
        guard let problem = visit.visit.problem, let mode = RuleForm.Mode(of: problem.entered) else { return nil }
        // Of a scope that the backend or the service decides on, there is one rule only.
        let stored = visit.app.stepUp?.rules.first { rule in
            mode != .direct && rule.scope == problem.entered.filled("rule.scope") && RuleForm.Mode(rule) == mode
        }
        let path = stored.map { visit.stepUp / "rules" / $0.id } ?? visit.stepUp / "new" / mode.rawValue
        let effect =
            switch (stored, mode) {
            case (.some, _): "The button saves it in place of the rule that the scope has now."
            case (nil, .direct):
                "The button adds a rule. Of several rules for a scope, the first one that fits the user counts, and the new "
                    + "one is the last."
            case (nil, _): "The button adds a rule."
            }
        var again = visit.visit
        again.problem = problem.moved(to: path)
        return Page("The rule has changed", app: visit.app, section: .stepUp, parent: ("Step-up", visit.stepUp)) {
            H.section(.class("card")) {
                H.p(.class("hint")) {
                    "The rule was changed or removed while you changed it. What you entered is below. Look at "
                    H.a(.href(visit.stepUp)) { "the rules of the app" }
                    " in another tab first. " + effect
                }
                FormView.form(again, path, id: "rule", submit: stored == nil ? "Add the rule" : "Save") { form in
                    form.hidden(FormView.versionField, visit.app.version)
                    RuleForm(mode, nil, visit.app).fields(form)
                }
            }
        }
    }

    /// - Parameter ends: What a changed rule ends.
    private static func card(
        _ visit: AppVisit, _ rule: RuleForm, _ path: ConsolePath, submit: String, ends: [String] = []
    ) -> HTML {
        guard visit.visit.canWrite else { return .empty }
        return H.section(.class("card")) {
            FormView.form(visit.visit, path, id: "rule", submit: submit, replacing: visit.app) { rule.fields($0) }
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
        let before =
            app.registersInOneStep
            ? "" : " Before that comes a code to an identifier of the user, unless the login is at most "
                + "\(Show.duration(app.freshLogin)) old."
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
