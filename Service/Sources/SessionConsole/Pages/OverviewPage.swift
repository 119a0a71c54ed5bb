import SessionDomain

/// The apps of the service with their users, and the page on which an app is created.
enum OverviewPage {
    static func add(to routes: ConsoleRoutes) {
        routes.page("", show)
        routes.page("/apps", show)
        routes.page("/new-app", showNew)
        routes.form("/new-app", on: showNew, create)
    }

    @Sendable static func show(_ visit: Visit) async throws -> Page {
        try visit.query.checkFilters(["offset"])
        try Part.check(visit.query)
        guard visit.isForAllApps else {
            // An operator of one app begins at its page.
            guard let id = visit.principal.appID else { throw Refusal.notFound("there is no such app") }
            let app = try await visit.service.apps.app(id)
            return try await AppPage.show(AppVisit(visit: visit, app: app))
        }
        let (apps, part) = (try await visit.service.apps.apps(), Part(visit.query))
        var rows: [TableView.Row] = []
        // Each app of the page costs a bounded count.
        for app in apps.dropFirst(part.offset).prefix(Part.size) {
            let counts = try await visit.service.users.counts(app: app.id)
            rows.append(
                TableView.Row(
                    H.a(.href(ConsolePath.apps / app.id.rawValue)) { H.bdi { app.name } }, Show.code(app.id.rawValue),
                    HTML(escaping: UserFigures.total(counts)), HTML(escaping: UserFigures.suspended(counts)),
                    Show.text(app.domains.joined(separator: ", ")), Show.time(app.createdAt)))
        }
        let new = visit.canWrite ? Link.button("Create an app", .newApp, "primary") : nil
        var page = Page("Apps") {
            if rows.isEmpty, !apps.isEmpty {
                Show.empty(
                    "There are no further apps", "The service has \(Show.count(apps.count, "app")).",
                    Link.button("Show the first ones", .apps))
            } else if rows.isEmpty {
                Show.empty("There is no app yet", "An app has its own users, logins and keys.", new)
            } else {
                TableView.html(
                    "Apps of this service", columns: ["Name", "Id", "Users", "Suspended", "Domains", "Created"], rows,
                    action: new)
                if apps.count > Part.size {
                    part.links(total: apps.count, noun: "app") { ConsolePath.apps.query(["offset": $0]) }
                }
            }
            ActivityView.html(visit.activity, .hour)
        }
        page.script = .live
        return page
    }

    @Sendable static func showNew(_ visit: Visit) async throws -> Page {
        try visit.requireAllApps()
        return Page("Create an app", parent: ("Apps", .home)) {
            H.section(.class("card")) {
                FormView.form(visit, .newApp, id: "app", submit: "Create the app") { form in
                    form.text("name", "Name", nil, hint: "Users see it in mails and messages.", isRequired: true)
                    form.text(
                        "id", "Id", nil, hint: "Seven lower-case letters or digits. Leave it empty for a random one.")
                }
            }
        }
    }

    @Sendable static func create(_ visit: Visit, _ form: FormBody) async throws -> FormOutcome {
        try visit.requireAllApps()
        let id = try form.filled("id").map { text throws(Refusal) in
            guard let id = AppID(text) else {
                throw Refusal.invalidField("id", "must be 7 lower-case letters or digits")
            }
            return id
        }
        let app = try await visit.service.apps.create(id: id, name: try form.required("name"))
        return .redirect(ConsolePath.apps / app.id.rawValue, .created)
    }
}

/// The first page of an app: how many users it has, what is configured, what happened, and the graphs of all apps.
enum AppPage {
    static func add(to routes: ConsoleRoutes) { routes.appPage("", show) }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let (service, app) = (visit.service, visit.app)
        // A script asks for graphs only, and for each section by itself.
        let live = visit.visit.query.text(Visit.liveField)
        if live == AppCalls.live { return Page("Overview", app: app, section: .overview) { AppCalls.html(visit) } }
        let graphs = try await AppActivity(of: app.id, in: service.store, at: service.environment.now()).html(visit)
        if live != nil { return Page("Overview", app: app, section: .overview) { graphs } }
        let users = try await UserFigures.html(visit)
        let webhooks = try await service.webhooks.webhooks(app: app.id)
        let events = try await service.store.events(app: app.id, limit: 8, offset: 0)
        var page = Page("Overview", app: app, section: .overview) {
            users
            if app.passwordLogin?.enabled != true, app.otpLogins.isEmpty {
                H.p(.class("message warn")) {
                    "No login is configured, so no user can sign in. "
                    H.a(.href(visit.path / "logins")) { "Configure a login" }
                }
            }
            Show.card("Configuration") {
                Show.values([
                    "Password login": Show.badge(
                        app.passwordLogin?.enabled == true ? "on" : "off",
                        app.passwordLogin?.enabled == true ? "good" : ""),
                    "Logins with a code": HTML(
                        escaping: app.otpLogins.isEmpty
                            ? "none"
                            : OTPLoginConfig.Channel.allCases
                                .filter { channel in app.otpLogins.contains { $0.channel == channel } }
                                .map(Show.channel).joined(separator: ", ")),
                    "New users": HTML(escaping: app.signUp ? "sign up themselves" : "are created by you only"),
                    "Session lifetime": HTML(
                        escaping: Show.duration(app.sessions.idleLifetime) + " unused, "
                            + Show.duration(app.sessions.absoluteLifetime) + " in total"),
                    "Webhooks": HTML(escaping: String(webhooks.count)),
                    "Domains": Show.text(app.domains.joined(separator: ", ")),
                ])
            }
            graphs
            AppCalls.html(visit)
            EventsPage.table("Latest events", events, users: visit.path / "users", trail: visit.path / "events")
            if visit.visit.isForAllApps { activity(visit) }
        }
        page.script = .live
        return page
    }

    /// The graphs of all apps. An operator of one app must not see what other apps do.
    private static func activity(_ visit: AppVisit) -> HTML {
        HTML(joining: [
            H.p(.class("hint")) {
                "The graphs below count the calls of all apps of this service together, not only of this app."
            },
            ActivityView.html(visit.visit.activity, .hour),
        ])
    }
}
