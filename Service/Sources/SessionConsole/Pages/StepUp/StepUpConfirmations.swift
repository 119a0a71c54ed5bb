import SessionDomain

/// The removal of a rule and of a scope. A page says first what will happen.
enum StepUpConfirmations {
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
