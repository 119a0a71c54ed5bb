import HTTPTypes
import SessionDomain

/// The users of an app: a list, a search, and the page on which a user is created.
enum UsersPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/users", show)
        routes.appPage("/users/new", showNew)
        routes.appForm("/users/new", for: .support, on: showNew, create)
    }

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Page {
        let query = console.context.query
        let (searched, part) = (query.filled("q"), Part(query))
        var (status, problem): (User.Status?, String?)
        do {
            try query.checkFilters(["q", "status", "offset"])
            try Part.check(query)
            status = try query.filled("status") == nil ? nil : query.choice("status", User.Status.allCases)
        } catch {
            problem = Problem(error, of: query, to: console.path / "users").message(label: nil)
        }
        return try await page(console, searched: searched, status: status, part, problem)
    }

    /// - Parameter problem: Why the query is refused. Then no user is shown.
    private static func page(
        _ console: ConsoleAppContext, searched: String?, status: User.Status?, _ part: Part, _ problem: String?
    ) async throws -> Page {
        let users = console.service.users
        var (found, total): ([User], Int) = ([], 0)
        if problem != nil {
            // Everybody would look like the result.
        } else if let searched {
            found = try await UserSearch.user(searched, in: console).map { [$0] } ?? []
            total = found.count
        } else {
            let page = try await users.users(
                app: console.app.id, status: status, limit: Part.size, from: .offset(part.offset))
            (found, total) = (page.elements, page.total ?? 0)
        }
        let (list, count) = (found, total)
        let new =
            console.context.canSupport ? Link.button("Create a user", console.path / "users" / "new", "primary") : nil
        var page = Page("Users", app: console.app, section: .users) {
            filters(console, searched: searched, status: status)
            if let problem {
                H.p(.class("message bad"), .role("alert")) { problem }
                H.p { Link.button("Show all users", console.path / "users") }
            } else if list.isEmpty {
                if let searched {
                    Format.empty(
                        "No user has “\(searched)”",
                        "Search for a whole e-mail address, phone number, user id or external id.",
                        Link.button("Show all users", console.path / "users"))
                } else if part.offset > 0 {
                    Format.empty(
                        "There are no further users", "The list has \(Format.count(count, "user")).",
                        Link.button("Show the first ones", (console.path / "users").query(["status": status?.rawValue]))
                    )
                } else if status != nil {
                    Format.empty("No user has this status", "Choose another status.")
                } else {
                    Format.empty(
                        "There are no users yet",
                        "A user appears here after the first sign-in, or when you create one.",
                        new)
                }
            } else {
                TableView.html(
                    "Users, newest first",
                    columns: ["Identifiers", "Status", "External id", "Password", "Passkey", "Created", "Id"],
                    list.map { row($0, console) }, action: new)
                if searched == nil {
                    part.links(total: count, noun: "user") { offset in
                        (console.path / "users").query(["status": status?.rawValue, "offset": offset])
                    }
                }
            }
        }
        if problem != nil { page.status = .badRequest }
        return page
    }

    private static func row(_ user: User, _ console: ConsoleAppContext) -> TableView.Row {
        let name = user.identifiers.first?.value ?? user.id
        return TableView.Row(
            HTML(joining: [
                H.a(.href(console.path / "users" / user.id)) { H.bdi { name } },
                user.identifiers.count > 1
                    ? H.span(.class("hint")) { " and \(user.identifiers.count - 1) more" } : .empty,
            ]), Format.status(user.status), Format.text(user.externalID),
            HTML(escaping: user.hasPassword ? "yes" : "no"), HTML(escaping: user.hasPasskey ? "yes" : "no"),
            Format.time(user.createdAt), Format.code(user.id))
    }

    private static func filters(_ console: ConsoleAppContext, searched: String?, status: User.Status?) -> HTML {
        H.div(.class("columns")) {
            H.form(.methodGet, .action(console.path / "users"), .role("search"), .aria(label: "Search")) {
                H.div(.class("row")) {
                    H.div(.class("field")) {
                        H.label(.for("q")) { "Find a user" }
                        H.input(
                            .type("search"), .id("q"), .name("q"), .value(searched ?? ""), .autocomplete("off"),
                            .spellcheckOff, .aria(describedBy: "q-hint"))
                    }
                    H.div(.class("actions")) { H.button(.type("submit"), .class("primary")) { "Search" } }
                }
                H.p(.class("hint"), .id("q-hint")) { "E-mail address, phone number with +, user id or external id" }
            }
            H.form(.methodGet, .action(console.path / "users"), .aria(label: "Status")) {
                H.div(.class("row")) {
                    H.div(.class("field")) {
                        H.label(.for("status")) { "Status" }
                        H.select(.id("status"), .name("status")) {
                            H.option(.value("")) { "All" }
                            for known in User.Status.allCases {
                                H.option(.value(known.rawValue), known == status ? .selected : nil) { known.rawValue }
                            }
                        }
                    }
                    H.div(.class("actions")) { H.button(.type("submit")) { "Filter" } }
                }
            }
        }
    }

    @Sendable static func showNew(_ console: ConsoleAppContext) async throws -> Page {
        Page("Create a user", app: console.app, section: .users, parent: ("Users", console.path / "users")) {
            H.section(.class("card")) {
                FormView.form(
                    console.context, console.path / "users" / "new", for: .support, id: "user",
                    submit: "Create the user"
                ) { form in
                    form.text(
                        "email", "E-mail address", nil, hint: "A user has an e-mail address, a phone number or both.")
                    form.text(
                        "phone", "Phone number", nil, hint: "With country code, such as +14155550100.", type: "tel")
                    form.text("external_id", "External id", nil, hint: "The id of the user in your own systems.")
                    form.text(
                        "password", "Password", nil, hint: "Leave it empty for a user without a password.",
                        type: "password", autocomplete: "new-password")
                }
            }
        }
    }

    @Sendable static func create(_ console: ConsoleAppContext, _ form: FormBody) async throws -> FormOutcome {
        var identifiers: [CanonicalIdentifier] = []
        for (field, type) in [("email", IdentifierType.emailAddress), ("phone", .phoneNumber)] {
            if let value = form.filled(field) {
                identifiers.append(try CanonicalIdentifier(type, value, ofField: field))
            }
        }
        guard !identifiers.isEmpty else {
            throw Refusal.invalidField("email", "or a phone number is required")
        }
        let user = try await console.service.users.create(
            app: console.app.id, identifiers: identifiers,
            password: form.text("password").flatMap { $0.isEmpty ? nil : $0 },
            externalID: form.filled("external_id"))
        return .redirect(console.path / "users" / user.id, .created)
    }
}

/// Finds a user by a text that an operator enters.
enum UserSearch {
    /// A text is an identifier, a user id or an external id. Users are found by the whole text only: identifiers are
    /// compared in their canonical form.
    static func user(_ text: String, in console: ConsoleAppContext) async throws -> User? {
        let (users, app) = (console.service.users, console.app.id)
        var tries: [() async throws -> User] = []
        if text.contains("@") || text.hasPrefix("+") {
            let type: IdentifierType = text.hasPrefix("+") ? .phoneNumber : .emailAddress
            tries.append {
                try await users.user(
                    with: CanonicalIdentifier(type: type.rawValue, value: text, isSearched: true), app: app)
            }
        }
        tries.append { try await users.user(text, app: app) }
        tries.append { try await users.user(externalID: text, app: app) }
        for attempt in tries {
            do {
                return try await attempt()
            } catch is Refusal {
                continue
            }
        }
        return nil
    }
}
