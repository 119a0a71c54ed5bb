/// Changes the settings of an app. Returns `nil` for an unknown app.
///
/// Challenges and grants of scopes that the change takes away are deleted with it (R13).
package struct UpdateApp<Answer: Sendable>: Intent {
    package let appID: AppID
    /// Whether the change may add domains. Then no other app may have them.
    package let takesDomains: Bool
    /// Changes the settings. It may run more than once. If it throws, nothing is written.
    package let change: @Sendable (inout App) throws -> Answer
    /// Reports what differs after the change. `nil` reports nothing.
    package let events: EventFactory?

    package init(
        _ id: AppID, takingDomains takesDomains: Bool = false, events: EventFactory? = nil,
        _ change: @escaping @Sendable (inout App) throws -> Answer
    ) {
        appID = id
        self.takesDomains = takesDomains
        self.events = events
        self.change = change
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.settings = true
            $0.apps = takesDomains
        }
    }

    package func decide(_ facts: Facts) throws -> Decision<Answer?> {
        guard let old = facts.settings else { return Decision(nil) }
        var app = old
        let answer = try change(&app)
        if takesDomains { try app.requireOwnDomains(beside: facts.apps) }
        let kept = app.scopesKept(from: old)
        let ended: [Change] =
            old.grantableScopes.isSubset(of: kept) ? [] : [.deleteStepUpsExcept(scopes: kept, app: appID)]
        let event = events?.appUpdated(old, to: app).map { [Change.append($0)] } ?? []
        return Decision(answer, ended + [.replaceApp(old, with: app)] + event)
    }
}
