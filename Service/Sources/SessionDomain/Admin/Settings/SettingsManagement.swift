package import SessionTokens

/// Reads and changes groups of settings, for the management API, the console and the command line.
package struct SettingsManagement: Sendable {
    private let apps: AppManagement
    private let hookKeys: HookKeys
    private let egress: any Egress
    private let environment: ServiceEnvironment

    init(apps: AppManagement, hookKeys: HookKeys, egress: any Egress, environment: ServiceEnvironment) {
        self.apps = apps
        self.hookKeys = hookKeys
        self.egress = egress
        self.environment = environment
    }

    /// - Throws: `Refusal.notFound` if the app is without the group.
    package func app<Group: SettingsGroup>(with type: Group.Type, _ id: AppID) async throws -> App {
        let app = try await apps.app(id)
        try SettingsExistence.stored.check(type, in: app)
        return app
    }

    /// - Throws: As `app(with:_:)`.
    package func group<Group: SettingsGroup>(_ type: Group.Type, of app: AppID) async throws -> Group {
        try await self.app(with: type, app)[keyPath: Group.place]
    }

    /// Rejects settings that `update` would reject.
    ///
    /// - Throws: `Refusal.invalidField` for a value that is out of range, and for a URL that the service may not call.
    package func check<Group: SettingsGroup>(_ group: Group, replacing stored: Group) throws(Refusal) {
        try Group.schema.check(group, replacing: stored)
        // One that does not change may be in a network that is not allowed any more.
        let known = Set(Group.schema.calledURLs(stored).map(\.url))
        for (name, url) in Group.schema.calledURLs(group) where !known.contains(url) {
            try egress.check(url, field: name)
        }
    }

    /// Changes a group in one transaction, or creates it, and reports what differs in an event.
    ///
    /// - Parameters:
    ///   - version: `App.version` as the operator has seen the settings. `nil`: any.
    ///   - key: The key of the operator. `nil`: this process makes the change.
    ///   - existence: Whether the app must have the group before the change.
    ///   - isTrial: Nothing is stored.
    ///   - change: It may run more than once.
    ///   - alsoChanging: Changes settings outside the group. They are not checked.
    /// - Returns: The app and the settings after the change, and what differs by the names in events.
    /// - Throws: As `check` and `AppManagement.update`; `Refusal.conflict` if the settings are not those of the version.
    package func update<Group: SettingsGroup>(
        _ type: Group.Type, of id: AppID, ifVersion version: String? = nil, by key: ManagementKey? = nil,
        _ existence: SettingsExistence = .any, isTrial: Bool = false,
        _ change: @escaping @Sendable (inout Group) throws -> Void,
        alsoChanging: @escaping @Sendable (inout App) -> Void = { _ in }
    ) async throws -> (app: App, group: Group, changes: [String: JSONValue]) {
        let stored = try await apps.app(id)
        let preview = try changed(stored, version, existence, change)
        // The key is published well before it signs the first request.
        if !isTrial, !Group.schema.calledURLs(preview.app[keyPath: Group.place]).isEmpty {
            try await hookKeys.ensure(app: id)
        }
        guard !isTrial else {
            try apps.checkDomains(of: preview.app, replacing: stored, by: key)
            if preview.app.domains != stored.domains {
                try preview.app.requireOwnDomains(beside: try await apps.apps())
            }
            return (preview.app, preview.app[keyPath: Group.place], preview.changes)
        }
        // Only the settings of the app itself have domains.
        return try await apps.update(id, takingDomains: Group.self == App.self, by: key) { app in
            var next = try changed(app, version, existence, change)
            alsoChanging(&next.app)
            app = next.app
            return (app, app[keyPath: Group.place], next.changes)
        }
    }

    private func changed<Group: SettingsGroup>(
        _ app: App, _ version: String?, _ existence: SettingsExistence, _ change: (inout Group) throws -> Void
    ) throws -> (app: App, changes: [String: JSONValue]) {
        guard version == nil || version == app.version else {
            throw Refusal.conflict("the settings of the app have changed meanwhile; read them again")
        }
        try existence.check(Group.self, in: app)
        var next = app
        try change(&next[keyPath: Group.place])
        try check(next[keyPath: Group.place], replacing: app[keyPath: Group.place])
        try next[keyPath: Group.place].check(in: next)
        if next[keyPath: Group.place] != app[keyPath: Group.place] || !Group.isConfigured(in: app) {
            next[keyPath: Group.place].touch(at: environment.now())
        }
        return (next, AuditedSettings(app).changes(to: AuditedSettings(next)))
    }
}

/// Whether an app must have a group of settings before a change of it.
package enum SettingsExistence: Sendable {
    case any, new, stored

    func check<Group: SettingsGroup>(_ type: Group.Type, in app: App) throws(Refusal) {
        switch (self, Group.isConfigured(in: app)) {
        case (.new, true): throw .conflict("\(Group.title) is configured already")
        case (.stored, false): throw .notFound("\(Group.title) is not configured")
        default: break
        }
    }
}

/// All groups of settings.
package enum SettingsGroups {
    package static let all: [any SettingsGroup.Type] = [
        App.self, SessionPolicy.self, LimitSettings.self, NoticeSettings.self, PasswordLoginConfig.self,
        MigrationConfig.self, PasskeyConfig.self, MessageSettings.self,
    ]
}
