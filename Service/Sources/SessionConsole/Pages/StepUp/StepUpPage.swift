import Foundation
import SessionDomain
import SessionTokens

/// The step-up rules of an app, its scopes, and the steps of its backend.
enum StepUpPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/step-up", show)
        routes.appForm("/step-up/scopes", on: show) { console, form in
            try await console.service.stepUpConfig.register(try form.required("scope"), app: console.app.id)
            return .redirect(console.stepUp, .saved)
        }
        routes.appForm("/step-up/steps", on: show) { console, form in
            _ = try await console.service.stepUpConfig.setCustomSteps(
                form.lines("step_keys"), jwksURL: form.filled("jwks_url"), app: console.app.id)
            return .redirect(console.stepUp, .saved)
        }
        RulePage.add(to: routes)
        StepUpConfirmations.add(to: routes)
    }

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Page {
        Page("Step-up", app: console.app, section: .stepUp) {
            H.p(.class("lead")) {
                "A step-up gives a signed-in user a scope for a limited time, for example before a payment. A rule says what "
                "the user does first."
            }
            rules(console)
            scopes(console)
            steps(console)
        }
    }

    private static func rules(_ console: ConsoleAppContext) -> HTML {
        let rules = console.app.stepUp?.rules ?? []
        let new = console.context.canWrite ? additions(console) : nil
        guard !rules.isEmpty else {
            return Format.empty(
                "There is no rule yet", "Without a rule for it, a request for a scope is rejected.", new)
        }
        return TableView.html(
            "Rules", columns: ["Scope", "Decided by", "What it means"],
            rules.map { rule in
                TableView.Row(
                    H.a(.href(console.stepUp / "rules" / rule.id)) {
                        rule.scope
                        H.span(.class("hidden")) { ", rule " + rule.id }
                    },
                    HTML(escaping: RuleText.decider(of: rule)),
                    HTML(joining: [
                        HTML(escaping: RuleText.meaning(of: rule, in: console.app)),
                        console.app.scopes.contains(rule.scope)
                            ? .empty
                            : H.p {
                                Format.badge("not registered", "warn")
                                " The scope is never granted."
                            },
                    ]))
            }, action: new)
    }

    private static func additions(_ console: ConsoleAppContext) -> HTML {
        H.div(.class("actions")) {
            Link.button("Add a rule", console.stepUp / "new" / "direct", "primary")
            Link.button("Let your backend decide", console.stepUp / "new" / "delegated")
            Link.button("Allow new identifiers", console.stepUp / "new" / "managed")
        }
    }

    private static func scopes(_ console: ConsoleAppContext) -> HTML {
        let (app, canWrite) = (console.app, console.context.canWrite)
        return HTML(joining: [
            app.scopes.isEmpty
                ? Format.empty(
                    "No scope is registered", "A scope must be registered before a rule or a login can grant it.")
                : TableView.html(
                    "Scopes", columns: ["Scope", "Granted by"] + (canWrite ? ["Action"] : []),
                    app.scopes.map { scope in
                        TableView.Row(
                            head: HTML(escaping: scope),
                            cells: [HTML(escaping: granters(of: scope, in: app))]
                                + (canWrite ? [removal(of: scope, console)] : []))
                    }),
            canWrite
                ? Format.card("Register a scope") {
                    FormView.form(console.context, console.stepUp / "scopes", id: "scope", submit: "Register") { form in
                        form.text(
                            "scope", "Scope", nil, hint: "Letters, digits and . - _ : such as payments:write.",
                            isRequired: true)
                    }
                } : .empty,
        ])
    }

    private static func granters(of scope: String, in app: App) -> String {
        let rules = app.stepUp?.rules.count { $0.scope == scope } ?? 0
        let logins = app.logins(granting: scope)
        let found = [rules > 0 ? Format.count(rules, "rule") : nil, logins > 0 ? Format.count(logins, "login") : nil]
        let text = found.compactMap(\.self).joined(separator: ", ")
        return text.isEmpty ? "nothing yet" : text
    }

    private static func removal(of scope: String, _ console: ConsoleAppContext) -> HTML {
        H.a(.class("button small danger"), .href(console.stepUp / "scopes" / console.id(ofScope: scope) / "remove")) {
            "Remove"
            H.span(.class("hidden")) { " " + scope }
        }
    }

    private static func steps(_ console: ConsoleAppContext) -> HTML {
        Format.card("Steps of your backend") {
            H.p(.class("hint")) {
                "Beside codes, a rule can have steps that your backend checks, such as a look at an identity card. It signs a "
                "token for each of them."
            }
            FormView.form(
                console.context, console.stepUp / "steps", id: "steps", submit: "Save", replacing: console.app
            ) {
                form in
                form.text(
                    "jwks_url", "URL of the keys", console.app.stepUp?.jwksURL,
                    hint: "The JWK set with which the service verifies these tokens. Required with steps.", type: "url")
                form.lines(
                    "step_keys", "Steps", console.app.stepUp?.stepKeys ?? [],
                    hint: "A key for each, such as check_id. One per line.")
            }
        }
    }
}

extension ConsoleAppContext {
    var stepUp: ConsolePath { path / "step-up" }

    /// A scope as one segment of a path. A scope may be `..`.
    func id(ofScope scope: String) -> String { Base64URL.encode(Data(scope.utf8)) }
}

/// The removal of a rule and of a scope. A page says first what will happen.
private enum StepUpConfirmations {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/step-up/rules/:rule_id/remove", showRule)
        routes.appForm("/step-up/rules/:rule_id/remove", on: showRule) { console, _ in
            _ = try await console.service.stepUpConfig.removeRule(console.parameter("rule_id"), app: console.app.id)
            return .redirect(console.stepUp, .deleted)
        }
        routes.appPage("/step-up/scopes/:scope_id/remove", showScope)
        routes.appForm("/step-up/scopes/:scope_id/remove", on: showScope) { console, _ in
            try await console.service.stepUpConfig.unregister(try scope(console), app: console.app.id)
            return .redirect(console.stepUp, .deleted)
        }
    }

    @Sendable private static func showRule(_ console: ConsoleAppContext) async throws -> Page {
        let rule = try RulePage.rule(console)
        let others = (console.app.stepUp?.rules.count { $0.scope == rule.scope } ?? 1) - 1
        let path = console.stepUp / "rules" / rule.id
        let ends = try await AffectedUsers.granted(rule.scope, console)
        return Page("Remove the rule", app: console.app, section: .stepUp, parent: (rule.scope, path)) {
            ConfirmPage.content(
                console.context, path / "remove",
                consequences: [
                    others == 0
                        ? "It is the last rule for \(rule.scope): no step-up grants the scope any more."
                        : "\(rule.scope) has \(Format.count(others, "other rule"))."
                ] + ends + ["The scope stays registered."], submit: "Remove the rule", back: path)
        }
    }

    @Sendable private static func showScope(_ console: ConsoleAppContext) async throws -> Page {
        let scope = try scope(console)
        let rules = console.app.stepUp?.rules.count { $0.scope == scope } ?? 0
        let logins = console.app.logins(granting: scope)
        let ends = try await AffectedUsers.granted(scope, console)
        let holders =
            logins == 0
            ? "No login grants it."
            : "Users who have it by their login lose it, too. " + (try await AffectedUsers.all(console))
        return Page("Remove the scope", app: console.app, section: .stepUp, parent: ("Step-up", console.stepUp)) {
            ConfirmPage.content(
                console.context, console.stepUp / "scopes" / console.id(ofScope: scope) / "remove",
                consequences: [
                    "No later access token has the scope \(scope).", holders,
                ] + ends + [
                    "\(Format.count(rules, "rule")) and \(Format.count(logins, "login")) name it. They stay, and grant it "
                        + "again when it is registered again."
                ], submit: "Remove the scope", back: console.stepUp)
        }
    }

    private static func scope(_ console: ConsoleAppContext) throws -> String {
        let id = console.parameter("scope_id")
        guard let scope = console.app.scopes.first(where: { console.id(ofScope: $0) == id }) else {
            throw Refusal.notFound("there is no such scope")
        }
        return scope
    }
}
