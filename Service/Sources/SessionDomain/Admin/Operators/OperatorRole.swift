package import SessionTokens

/// What an operator may do in the console. A later case may do everything that an earlier one may.
package enum OperatorRole: String, Sendable, CaseIterable, Comparable {
    /// Looks at pages.
    case viewer
    /// Also changes users and sessions, sets limits of a user back, and sends events to webhooks again.
    case support
    /// Everything.
    case admin

    package static func < (left: OperatorRole, right: OperatorRole) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .support: 1
        case .admin: 2
        }
    }
}

/// A person who works with the console: a user of the built-in operator app.
///
/// Role and app are members of the user's profile. Only `OperatorManagement` writes them, because no API serves the app.
package struct ConsoleOperator: Sendable, Equatable {
    private static let roleMember = "role"
    private static let appMember = "app"

    package let user: User
    package let address: CanonicalIdentifier
    package let role: OperatorRole
    /// The app that the operator works with. `nil`: all apps.
    package let appID: AppID?

    package var id: String { user.id }
    package var name: String { address.value }
    /// Names the account as it is now. Another change of its rights gives it another version.
    package var version: String { "\(role.rawValue) \(appID?.rawValue ?? "") \(user.status.rawValue)" }

    /// - Returns: `nil` for a user who is no operator: of another app, without an address, or without a valid role and app.
    package init?(_ user: User) {
        guard user.appID == .operators, let address = user.identifiers.first(where: { $0.type == .emailAddress }),
            let role = user.profile[Self.roleMember]?.stringValue.flatMap({ OperatorRole(rawValue: $0) })
        else { return nil }
        (self.user, self.address, self.role) = (user, address, role)
        switch user.profile[Self.appMember] {
        case nil: appID = nil
        case .string(let text)?:
            guard let id = AppID(text) else { return nil }
            appID = id
        default: return nil
        }
    }

    /// The profile of an operator.
    package static func profile(_ role: OperatorRole, app: AppID?) -> [String: JSONValue] {
        var profile: [String: JSONValue] = [roleMember: .string(role.rawValue)]
        if let app { profile[appMember] = .string(app.rawValue) }
        return profile
    }

    /// What events report of the rights of an operator.
    static func audited(_ role: OperatorRole, app: AppID?) -> [String: JSONValue] {
        ["role": .string(role.rawValue), "app_id": app.map { .string($0.rawValue) } ?? .null]
    }

    /// The actor of the events that the operator causes.
    package var actor: EventContext.Actor { .init(.operator, id: id, name: name) }
}

extension ManagementKey {
    /// The rights of an operator in the form of a key, for rules that compare keys. It is not stored and has no secret.
    init(rightsOf person: ConsoleOperator) {
        self.init(
            id: person.id, name: person.name, appID: person.appID, hash: "",
            role: person.role == .admin ? .write : .read, createdBy: .operator(person.id),
            createdAt: person.user.createdAt)
    }

    /// What a key that this one creates reports as its creator.
    var asCreator: Creator { isOfOperator ? .operator(id) : .key(id) }

    /// Whether the store has this key.
    var isStored: Bool { createdBy != .configuration && !isOfOperator }

    private var isOfOperator: Bool { id.hasPrefix(ManagementKey.Creator.operatorPrefix) }
}

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
