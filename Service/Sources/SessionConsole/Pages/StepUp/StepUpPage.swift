import Foundation
import SessionDomain
import SessionTokens

/// The step-up rules of an app, its scopes, and the steps of its backend.
enum StepUpPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/step-up", show)
        routes.appForm("/step-up/scopes", on: show) { visit, form in
            try await visit.service.stepUpConfig.register(try form.required("scope"), app: visit.app.id)
            return .redirect(visit.stepUp, .saved)
        }
        routes.appForm("/step-up/steps", on: show) { visit, form in
            _ = try await visit.service.stepUpConfig.setCustomSteps(
                form.lines("step_keys"), jwksURL: form.filled("jwks_url"), app: visit.app.id)
            return .redirect(visit.stepUp, .saved)
        }
        RulePage.add(to: routes)
        StepUpConfirmations.add(to: routes)
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        Page("Step-up", app: visit.app, section: .stepUp) {
            H.p(.class("lead")) {
                "A step-up gives a signed-in user a scope for a limited time, for example before a payment. A rule says what "
                "the user does first."
            }
            rules(visit)
            scopes(visit)
            steps(visit)
        }
    }

    private static func rules(_ visit: AppVisit) -> HTML {
        let rules = visit.app.stepUp?.rules ?? []
        let new = visit.visit.canWrite ? additions(visit) : nil
        guard !rules.isEmpty else {
            return Show.empty(
                "There is no rule yet", "Without a rule for it, a request for a scope is rejected.", new)
        }
        return TableView.html(
            "Rules", columns: ["Scope", "Decided by", "What it means"],
            rules.map { rule in
                TableView.Row(
                    H.a(.href(visit.stepUp / "rules" / rule.id)) {
                        rule.scope
                        H.span(.class("hidden")) { ", rule " + rule.id }
                    },
                    HTML(escaping: RuleText.decider(of: rule)),
                    HTML(joining: [
                        HTML(escaping: RuleText.meaning(of: rule, in: visit.app)),
                        visit.app.scopes.contains(rule.scope)
                            ? .empty
                            : H.p {
                                Show.badge("not registered", "warn")
                                " The scope is never granted."
                            },
                    ]))
            }, action: new)
    }

    private static func additions(_ visit: AppVisit) -> HTML {
        H.div(.class("actions")) {
            Link.button("Add a rule", visit.stepUp / "new" / "direct", "primary")
            Link.button("Let your backend decide", visit.stepUp / "new" / "delegated")
            Link.button("Allow new identifiers", visit.stepUp / "new" / "managed")
        }
    }

    private static func scopes(_ visit: AppVisit) -> HTML {
        let (app, canWrite) = (visit.app, visit.visit.canWrite)
        return HTML(joining: [
            app.scopes.isEmpty
                ? Show.empty(
                    "No scope is registered", "A scope must be registered before a rule or a login can grant it.")
                : TableView.html(
                    "Scopes", columns: ["Scope", "Granted by"] + (canWrite ? ["Action"] : []),
                    app.scopes.map { scope in
                        TableView.Row(
                            head: HTML(escaping: scope),
                            cells: [HTML(escaping: granters(of: scope, in: app))]
                                + (canWrite ? [removal(of: scope, visit)] : []))
                    }),
            canWrite
                ? Show.card("Register a scope") {
                    FormView.form(visit.visit, visit.stepUp / "scopes", id: "scope", submit: "Register") { form in
                        form.text(
                            "scope", "Scope", nil, hint: "Letters, digits and . - _ : such as payments:write.",
                            isRequired: true)
                    }
                } : .empty,
        ])
    }

    private static func granters(of scope: String, in app: App) -> String {
        let rules = app.stepUp?.rules.count { $0.scope == scope } ?? 0
        let logins = app.otpLogins.count { $0.grantedScopes.contains(scope) }
        let found = [rules > 0 ? Show.count(rules, "rule") : nil, logins > 0 ? Show.count(logins, "login") : nil]
        let text = found.compactMap(\.self).joined(separator: ", ")
        return text.isEmpty ? "nothing yet" : text
    }

    private static func removal(of scope: String, _ visit: AppVisit) -> HTML {
        H.a(.class("button small danger"), .href(visit.stepUp / "scopes" / visit.id(ofScope: scope) / "remove")) {
            "Remove"
            H.span(.class("hidden")) { " " + scope }
        }
    }

    private static func steps(_ visit: AppVisit) -> HTML {
        Show.card("Steps of your backend") {
            H.p(.class("hint")) {
                "Beside codes, a rule can have steps that your backend checks, such as a look at an identity card. It signs a "
                "token for each of them."
            }
            FormView.form(visit.visit, visit.stepUp / "steps", id: "steps", submit: "Save", replacing: visit.app) {
                form in
                form.text(
                    "jwks_url", "URL of the keys", visit.app.stepUp?.jwksURL,
                    hint: "The JWK set with which the service verifies these tokens. Required with steps.", type: "url")
                form.lines(
                    "step_keys", "Steps", visit.app.stepUp?.stepKeys ?? [],
                    hint: "A key for each, such as check_id. One per line.")
            }
        }
    }
}

extension AppVisit {
    var stepUp: ConsolePath { path / "step-up" }

    /// A scope as one segment of a path. A scope may be `..`.
    func id(ofScope scope: String) -> String { Base64URL.encode(Data(scope.utf8)) }
}

/// The removal of a rule and of a scope. A page says first what will happen.
private enum StepUpConfirmations {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/step-up/rules/:rule_id/remove", showRule)
        routes.appForm("/step-up/rules/:rule_id/remove", on: showRule) { visit, _ in
            _ = try await visit.service.stepUpConfig.removeRule(visit.parameter("rule_id"), app: visit.app.id)
            return .redirect(visit.stepUp, .deleted)
        }
        routes.appPage("/step-up/scopes/:scope_id/remove", showScope)
        routes.appForm("/step-up/scopes/:scope_id/remove", on: showScope) { visit, _ in
            try await visit.service.stepUpConfig.unregister(try scope(visit), app: visit.app.id)
            return .redirect(visit.stepUp, .deleted)
        }
    }

    @Sendable private static func showRule(_ visit: AppVisit) async throws -> Page {
        let rule = try RulePage.rule(visit)
        let others = (visit.app.stepUp?.rules.count { $0.scope == rule.scope } ?? 1) - 1
        let path = visit.stepUp / "rules" / rule.id
        let ends = try await AffectedUsers.granted(rule.scope, visit)
        return Page("Remove the rule", app: visit.app, section: .stepUp, parent: (rule.scope, path)) {
            ConfirmPage.content(
                visit.visit, path / "remove",
                consequences: [
                    others == 0
                        ? "It is the last rule for \(rule.scope): no step-up grants the scope any more."
                        : "\(rule.scope) has \(Show.count(others, "other rule"))."
                ] + ends + ["The scope stays registered."], submit: "Remove the rule", back: path)
        }
    }

    @Sendable private static func showScope(_ visit: AppVisit) async throws -> Page {
        let scope = try scope(visit)
        let rules = visit.app.stepUp?.rules.count { $0.scope == scope } ?? 0
        let logins = visit.app.otpLogins.count { $0.grantedScopes.contains(scope) }
        let ends = try await AffectedUsers.granted(scope, visit)
        let holders =
            logins == 0
            ? "No login grants it."
            : "Users who have it by their login lose it, too. " + (try await AffectedUsers.all(visit))
        return Page("Remove the scope", app: visit.app, section: .stepUp, parent: ("Step-up", visit.stepUp)) {
            ConfirmPage.content(
                visit.visit, visit.stepUp / "scopes" / visit.id(ofScope: scope) / "remove",
                consequences: [
                    "No later access token has the scope \(scope).", holders,
                ] + ends + [
                    "\(Show.count(rules, "rule")) and \(Show.count(logins, "login")) name it. They stay, and grant it "
                        + "again when it is registered again."
                ], submit: "Remove the scope", back: visit.stepUp)
        }
    }

    private static func scope(_ visit: AppVisit) throws -> String {
        let id = visit.parameter("scope_id")
        guard let scope = visit.app.scopes.first(where: { visit.id(ofScope: $0) == id }) else {
            throw Refusal.notFound("there is no such scope")
        }
        return scope
    }
}
