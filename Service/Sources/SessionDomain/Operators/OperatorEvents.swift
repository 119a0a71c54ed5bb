internal import SessionTokens

/// Events about operators. They belong to the operator app.
extension Event.Name {
    package static let operatorCreated = Event.Name(rawValue: "management.operator.created")
    package static let operatorUpdated = Event.Name(rawValue: "management.operator.updated")
    package static let operatorRemoved = Event.Name(rawValue: "management.operator.removed")
}

extension EventFactory {
    func operatorCreated(_ person: ConsoleOperator) -> Event {
        make(
            .operatorCreated,
            about(person.id, person.name).merging(ConsoleOperator.audited(person.role, app: person.appID)) { $1 })
    }

    func operatorUpdated(_ old: ConsoleOperator, role: OperatorRole, app: AppID?) -> Event {
        var data = about(old.id, old.name)
        data["before"] = .object(ConsoleOperator.audited(old.role, app: old.appID))
        data["after"] = .object(ConsoleOperator.audited(role, app: app))
        return make(.operatorUpdated, data)
    }

    func operatorRemoved(_ person: ConsoleOperator) -> Event { make(.operatorRemoved, about(person.id, person.name)) }

    private func about(_ id: String, _ address: String) -> [String: JSONValue] {
        ["user_id": .string(id), "address": .string(address)]
    }
}
