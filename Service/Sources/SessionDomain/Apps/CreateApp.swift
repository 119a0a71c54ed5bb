/// Inserts an app with its first signing keys. Returns `false` if the id is taken.
package struct CreateApp: Intent {
    package let app: App
    package let keys: [StoredSigningKey]
    package let events: [Event]

    package init(_ app: App, keys: [StoredSigningKey], events: [Event] = []) {
        self.app = app
        self.keys = keys
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: app.id) { $0.apps = !app.domains.isEmpty } }

    /// - Throws: `Refusal.conflict` if another app has one of the domains.
    package func decide(_ facts: Facts) throws -> Decision<Bool> {
        if facts.isTaken(.app(app.id)) { return Decision(false) }
        try app.requireOwnDomains(beside: facts.apps)
        return Decision(
            true, [.insertApp(app)] + keys.map { .insertSigningKey($0) } + events.map { .append($0) })
    }
}
