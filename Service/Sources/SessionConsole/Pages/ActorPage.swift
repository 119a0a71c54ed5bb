import SessionDomain
import SessionHTTP

/// What an operator or a management key did, in all audit trails. It also finds those that were removed.
enum ActorPage {
    static func add(to routes: ConsoleRoutes) { routes.page("/actors/:actor_id", show) }

    /// One audit trail, with the last event of the actor in it.
    private struct Trail {
        let name: HTML
        let path: ConsolePath
        let last: Event
    }

    @Sendable private static func show(_ console: ConsoleContext) async throws -> Page {
        try console.requireAllApps()
        let id = console.parameter("actor_id")
        let trails = try await trails(of: id, console)
        let latest = trails.first?.last.context.actor
        let account = try await account(id, console)
        let name = account?.name ?? latest?.name ?? id
        let parent: (title: String, path: ConsolePath)? =
            if let account { (account.name, .operators / account.id) } else { nil }
        return Page("What \(name) did", parent: parent) {
            if trails.isEmpty {
                Format.empty(
                    "There is no event of this actor",
                    "Each change that an operator or a management key makes is an event. Events are kept as long as the "
                        + "settings of their app say.")
            } else {
                Format.card("Actor") {
                    Format.values([
                        "Name": Format.text(name), "Actor id": Format.code(id),
                        "Type": Format.text(latest?.type.rawValue.replacing("_", with: " ")),
                    ])
                }
                TableView.html(
                    "Audit trails with events of this actor",
                    columns: ["Audit trail", "Last event", "Time", "Address"],
                    trails.map { trail in
                        TableView.Row(
                            H.a(.href(trail.path)) { trail.name }, Format.code(trail.last.name.rawValue),
                            Format.time(trail.last.createdAt), Format.text(trail.last.context.ip))
                    })
            }
        }
    }

    /// The account of an operator. `nil` for one that was removed, and for a key.
    private static func account(_ id: String, _ console: ConsoleContext) async throws -> ConsoleOperator? {
        do { return try await console.service.operators.find(id) } catch Refusal.notFound { return nil }
    }

    /// The trails in which the actor has events, latest event first.
    private static func trails(of id: String, _ console: ConsoleContext) async throws -> [Trail] {
        var query = try EventQuery(["actor_id": id], app: .service)
        query.limit = 1
        let apps = try await console.service.apps.apps().map { app in
            (app.id, HTML(joining: [H.bdi { app.name }, HTML(escaping: " (\(app.id.rawValue))")]), path(of: app.id))
        }
        let others = [
            (AppID.service, HTML(escaping: "Service events"), ConsolePath.events),
            (.operators, HTML(escaping: "Operator events"), .operators / "events"),
        ]
        var found: [Trail] = []
        for (app, name, path) in apps + others {
            query.app = app
            guard let last = try await console.service.store.events(query)?.first else { continue }
            found.append(Trail(name: name, path: path.query(["actor_id": id]), last: last))
        }
        return found.sorted { $0.last.createdAt > $1.last.createdAt }
    }

    private static func path(of app: AppID) -> ConsolePath { ConsolePath.apps / app.rawValue / "events" }
}
