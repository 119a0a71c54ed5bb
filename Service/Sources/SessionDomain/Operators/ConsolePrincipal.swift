/// Who is signed in to the console: an operator with an account, or a person with a management key.
package struct ConsolePrincipal: Sendable, Equatable {
    /// The account. `nil` for a management key.
    package let `operator`: ConsoleOperator?
    /// The management key. For an account, its rights in the form of a key.
    package let key: ManagementKey

    package init(_ person: ConsoleOperator) {
        `operator` = person
        key = ManagementKey(rightsOf: person)
    }

    /// A key with the role `write` is an admin, one with the role `read` a viewer.
    package init(_ key: ManagementKey) {
        `operator` = nil
        self.key = key
    }

    package var role: OperatorRole { `operator`?.role ?? (key.role == .write ? .admin : .viewer) }
    package var name: String { key.name }
    /// The app that the operator works with. `nil`: all apps.
    package var appID: AppID? { key.appID }
    package var actor: EventContext.Actor { `operator`?.actor ?? key.actor }
}
