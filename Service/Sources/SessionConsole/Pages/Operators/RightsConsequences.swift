import SessionDomain

/// What other rights take from an operator.
enum RightsConsequences {
    /// All that changes. Empty for a change that takes nothing.
    static func of(_ role: OperatorRole, app: App?, replacing person: ConsoleOperator) -> [String] {
        let isOtherApp = app?.id != person.appID
        guard role < person.role || (app != nil && isOtherApp) else { return [] }
        var changes: [String] = []
        if role != person.role {
            changes.append(
                "\(person.name) gets the role \(role.rawValue) instead of \(person.role.rawValue): \(meaning(of: role))."
            )
        }
        if isOtherApp {
            let next = app.map { "the app \($0.id.rawValue) (\($0.name)) only" } ?? "all apps"
            let before = person.appID.map { "with the app \($0.rawValue) only" } ?? "with all apps"
            changes.append("\(person.name) works with \(next), not \(before).")
        }
        return changes
    }

    private static func meaning(of role: OperatorRole) -> String {
        switch role {
        case .viewer: "looks at pages, and changes nothing"
        case .support: "changes users and sessions, and no settings"
        case .admin: "may do everything"
        }
    }
}
