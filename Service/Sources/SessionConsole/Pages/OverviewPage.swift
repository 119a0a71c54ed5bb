import SessionDomain

/// The apps of the service with their users, and the page on which an app is created.
enum OverviewPage {
    static func add(to routes: ConsoleRoutes) {
        routes.page("", show)
        routes.page("/apps", show)
        routes.page("/new-app", showNew)
        routes.form("/new-app", on: showNew, create)
    }

    @Sendable static func show(_ console: ConsoleContext) async throws -> Page {
        try console.query.checkFilters(["offset"])
        try Part.check(console.query)
        guard console.isForAllApps else {
            // An operator of one app begins at its page.
            guard let id = console.principal.appID else { throw Refusal.notFound("there is no such app") }
            let app = try await console.service.apps.app(id)
            return try await AppPage.show(ConsoleAppContext(context: console, app: app))
        }
        let (apps, part) = (try await console.service.apps.apps(), Part(console.query))
        var rows: [TableView.Row] = []
        // Each app of the page costs a bounded count.
        for app in apps.dropFirst(part.offset).prefix(Part.size) {
            let counts = try await console.service.users.counts(app: app.id)
            rows.append(
                TableView.Row(
                    H.a(.href(ConsolePath.apps / app.id.rawValue)) { H.bdi { app.name } }, Format.code(app.id.rawValue),
                    HTML(escaping: UserFigures.total(counts)), HTML(escaping: UserFigures.suspended(counts)),
                    Format.text(app.domains.joined(separator: ", ")), Format.time(app.createdAt)))
        }
        let new = console.canWrite ? Link.button("Create an app", .newApp, "primary") : nil
        var page = Page("Apps") {
            if rows.isEmpty, !apps.isEmpty {
                Format.empty(
                    "There are no further apps", "The service has \(Format.count(apps.count, "app")).",
                    Link.button("Show the first ones", .apps))
            } else if rows.isEmpty {
                Format.empty("There is no app yet", "An app has its own users, logins and keys.", new)
            } else {
                TableView.html(
                    "Apps of this service", columns: ["Name", "Id", "Users", "Suspended", "Domains", "Created"], rows,
                    action: new)
                if apps.count > Part.size {
                    part.links(total: apps.count, noun: "app") { ConsolePath.apps.query(["offset": $0]) }
                }
            }
            ActivityView.html(console.activity, .hour)
        }
        page.script = .live
        return page
    }

    @Sendable static func showNew(_ console: ConsoleContext) async throws -> Page {
        try console.requireAllApps()
        return Page("Create an app", parent: ("Apps", .home)) {
            H.section(.class("card")) {
                FormView.form(console, .newApp, id: "app", submit: "Create the app") { form in
                    form.text("name", "Name", nil, hint: "Users see it in mails and messages.", isRequired: true)
                    form.text(
                        "id", "Id", nil, hint: "Seven lower-case letters or digits. Leave it empty for a random one.")
                }
            }
        }
    }

    @Sendable static func create(_ console: ConsoleContext, _ form: FormBody) async throws -> FormOutcome {
        try console.requireAllApps()
        let id = try form.filled("id").map { text throws(Refusal) in
            guard let id = AppID(text) else {
                throw Refusal.invalidField("id", "must be 7 lower-case letters or digits")
            }
            return id
        }
        let app = try await console.service.apps.create(id: id, name: try form.required("name"))
        return .redirect(ConsolePath.apps / app.id.rawValue, .created)
    }
}

/// The first page of an app: how many users it has, what is configured, what happened, and the graphs of all apps.
enum AppPage {
    static func add(to routes: ConsoleRoutes) { routes.appPage("", show) }

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Page {
        let (service, app) = (console.service, console.app)
        // A script asks for graphs only, and for each section by itself.
        let live = console.context.query.text(ConsoleContext.liveField)
        if live == AppCalls.live { return Page("Overview", app: app, section: .overview) { AppCalls.html(console) } }
        let graphs = try await AppActivity(of: app.id, in: service.store, at: service.environment.now()).html(console)
        if live != nil { return Page("Overview", app: app, section: .overview) { graphs } }
        let users = try await UserFigures.html(console)
        let webhooks = try await service.webhooks.webhooks(app: app.id)
        let events = try await service.store.events(app: app.id, limit: 8, offset: 0)
        var page = Page("Overview", app: app, section: .overview) {
            users
            if app.passwordLogin?.enabled != true, app.otpLogins.isEmpty, !app.acceptsPasskeys {
                H.p(.class("message warn")) {
                    "No login is configured, so no user can sign in. "
                    H.a(.href(console.path / "logins")) { "Configure a login" }
                }
            }
            Format.card("Configuration") {
                Format.values([
                    "Password login": Format.badge(
                        app.passwordLogin?.enabled == true ? "on" : "off",
                        app.passwordLogin?.enabled == true ? "good" : ""),
                    "Logins with a code": HTML(
                        escaping: app.otpLogins.isEmpty
                            ? "none"
                            : OTPLoginConfig.Channel.allCases
                                .filter { channel in app.otpLogins.contains { $0.channel == channel } }
                                .map(Format.channel).joined(separator: ", ")),
                    "Login with a passkey": Format.badge(
                        app.acceptsPasskeys ? "on" : "off", app.acceptsPasskeys ? "good" : ""),
                    "New users": HTML(escaping: app.signUp ? "sign up themselves" : "are created by you only"),
                    "Session lifetime": HTML(
                        escaping: Format.duration(app.sessions.idleLifetime) + " unused, "
                            + Format.duration(app.sessions.absoluteLifetime) + " in total"),
                    "Webhooks": HTML(escaping: String(webhooks.count)),
                    "Domains": Format.text(app.domains.joined(separator: ", ")),
                ])
            }
            graphs
            AppCalls.html(console)
            EventsPage.table("Latest events", events, users: console.path / "users", trail: console.path / "events")
            if console.context.isForAllApps { activity(console) }
        }
        page.script = .live
        return page
    }

    /// The graphs of all apps. An operator of one app must not see what other apps do.
    private static func activity(_ console: ConsoleAppContext) -> HTML {
        HTML(joining: [
            H.p(.class("hint")) {
                "The graphs below count the calls of all apps of this service together, not only of this app."
            },
            ActivityView.html(console.context.activity, .hour),
        ])
    }
}
