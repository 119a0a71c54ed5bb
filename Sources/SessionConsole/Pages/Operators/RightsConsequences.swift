import SessionDomain

/// What other rights take from an operator.
@available(service, *)
enum RightsConsequences {
    /// Empty for a change that takes nothing.
    static func of(_ role: OperatorRole, app: App?, replacing person: ConsoleOperator) -> [String] {
        var lost: [String] = []
        if role < person.role {
            lost.append(
                "\(person.name) has the role \(role.rawValue) instead of \(person.role.rawValue) from the next page on: "
                    + (role == .viewer
                        ? "looks at pages, and changes nothing." : "changes users and sessions, no settings."))
        }
        if let app, app.id != person.appID {
            let before = person.appID.map { "the app \($0.rawValue)" } ?? "all apps"
            lost.append("\(person.name) works with the app \(app.id.rawValue) (\(app.name)) only, not with \(before).")
        }
        return lost
    }
}
