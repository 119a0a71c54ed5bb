import HTTPTypes
import Hummingbird
import SessionDomain
import SessionHTTP
import SessionTokens

/// The audit trail of an app, and of the service itself.
enum EventsPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/events") { console in
            try await page(console.context, app: console.app, path: console.path / "events")
        }
        routes.page("/events") { console in
            try console.requireAllApps()
            return try await page(console, app: nil, path: .events)
        }
        routes.page("/operators/events") { console in
            try console.requireAllApps()
            return try await page(console, app: nil, of: .operators, path: .operators / "events")
        }
        EventExport.add(to: routes)
    }

    /// The filters, with their labels.
    private static let labels: KeyValuePairs = [
        "name": "Event", "user_id": "User id", "actor_id": "Actor id", "from": "From (UTC)", "until": "Until (UTC)",
    ]

    /// The filters of a query that have a value, with times in RFC 3339.
    static func filters(_ query: FormBody) -> [String: String] {
        var filters: [String: String] = [:]
        for (name, _) in labels { filters[name] = query.filled(name) }
        for name in ["from", "until"] { filters[name] = filters[name].map(FieldTime.rfc3339) }
        return filters
    }

    /// - Parameter more: What the query may have beside filters and places.
    static func query(_ query: FormBody, app: AppID, more: Set<String> = []) throws(Refusal) -> EventQuery {
        try query.checkFilters(more.union(labels.map(\.key)).union(["before", "cursor", "limit", "offset"]))
        let values = filters(query)
        let fields = query.filters.all.map { (name: $0.name, value: values[$0.name] ?? $0.value) }
        return try EventQuery(FormFields(fields), app: app)
    }

    private static func page(
        _ console: ConsoleContext, app: App?, of id: AppID = .service, path: ConsolePath
    ) async throws -> Page {
        var (events, problem): ([Event], String?) = ([], nil)
        do {
            var query = try Self.query(console.query, app: app?.id ?? id)
            query.limit = Part.size
            if let found = try await console.service.store.events(query) {
                events = found
            } else {
                problem = "The event after which this list continues no longer exists."
            }
        } catch let refusal as Refusal {
            let refused = Problem(refusal, of: console.query, to: path)
            problem = refused.message(label: labels.first { $0.key == refused.field }?.value)
        }
        let (found, message) = (events, problem)
        let isFiltered = !filters(console.query).isEmpty
        let title = app != nil ? "Audit trail" : id == .operators ? "Operator events" : "Service events"
        let users = app.map { ConsolePath.apps / $0.id.rawValue / "users" } ?? (id == .operators ? .operators : nil)
        let parent = id == .operators ? (title: "Operators", path: ConsolePath.operators) : nil
        var page = Page(title, app: app, section: app == nil ? nil : .events, parent: parent) {
            filterForm(console, path)
            if let message {
                H.p(.class("message bad"), .role("alert")) { message }
            } else if found.isEmpty {
                isFiltered
                    ? Format.empty(
                        "No event matches", "Change the filters, or show all events.", Link.button("Show all", path))
                    : Format.empty("Nothing has happened yet", "Each change and each sign-in appears here.")
            } else {
                table("Events, newest first", found, users: users, trail: path)
                olderLink(found, console, path)
                downloads(console, path)
            }
        }
        if message != nil { page.status = .badRequest }
        return page
    }

    private static func filterForm(_ console: ConsoleContext, _ path: ConsolePath) -> HTML {
        FilterForm.html(path, label: "Filters") {
            for (name, label) in labels {
                switch name {
                case "name":
                    FilterForm.text(
                        name, label, "login.failed or login.*", console,
                        suggestions: Event.Name.families.union(Event.Name.all.map(\.rawValue)).sorted())
                case "user_id": FilterForm.text(name, label, "usr_…", console)
                case "actor_id": FilterForm.text(name, label, "Who did it: usr_… or mk_…", console)
                case "from": FilterForm.time(name, label, "The earliest time", console)
                default: FilterForm.time(name, label, "Without this time", console)
                }
            }
        }
    }

    private static func olderLink(_ events: [Event], _ console: ConsoleContext, _ path: ConsolePath) -> HTML? {
        guard events.count == Part.size, let last = events.last else { return nil }
        let older = filtered(path, console).query(["before": last.id])
        return H.nav(.class("pages"), .aria(label: "Parts of the list")) { Link.button("Older", older, "small") }
    }

    private static func filtered(_ path: ConsolePath, _ console: ConsoleContext) -> ConsolePath {
        let values = filters(console.query)
        return path.query([
            "name": values["name"], "user_id": values["user_id"], "actor_id": values["actor_id"],
            "from": values["from"], "until": values["until"],
        ])
    }

    private static func downloads(_ console: ConsoleContext, _ path: ConsolePath) -> HTML {
        H.nav(.class("pages"), .aria(label: "Downloads")) {
            H.span(.class("hint")) { "All events that match:" }
            for format in EventFormat.allCases {
                Link.button(
                    "Download as \(format.title)",
                    filtered(path / "export", console).query(["format": format.rawValue]), "small")
            }
        }
    }

    /// - Parameters:
    ///   - users: The path of the users. `nil` for events of the service, which have none.
    ///   - trail: The path of the audit trail of these events.
    static func table(_ title: String, _ events: [Event], users: ConsolePath?, trail: ConsolePath) -> HTML {
        TableView.html(
            title, columns: ["Time", "Event", "By", "Address", "User", "Details"],
            events.map { event in
                TableView.Row(
                    Format.time(event.createdAt), Format.code(event.name.rawValue), actor(event.context.actor, trail),
                    Format.text(event.context.ip), user(event, users), details(event))
            })
    }

    /// The name of who did it, with a link to what else they did in this trail.
    private static func actor(_ actor: EventContext.Actor?, _ trail: ConsolePath) -> HTML {
        guard let actor else { return Format.none }
        let name = actor.name.map { name in H.bdi { name } }
        let shown = name ?? HTML(escaping: actor.type.rawValue.replacing("_", with: " "))
        guard let id = actor.id else { return shown }
        return H.a(.href(trail.query(["actor_id": id]))) { shown }
    }

    private static func user(_ event: Event, _ users: ConsolePath?) -> HTML {
        guard let users, let id = event.userID else { return Format.none }
        return H.a(.href(users / id), .class("mono")) { id }
    }

    private static func details(_ event: Event) -> HTML {
        H.details {
            H.summary {
                "Show"
                H.span(.class("hidden")) { " details of " + event.name.rawValue }
            }
            Format.values([
                "Event id": Format.code(event.id), "Request": Format.text(event.context.requestID),
                "Browser": Format.text(event.context.userAgent),
            ])
            H.pre { H.bdi { JSONText.pretty(.object(event.data)) } }
        }
    }
}

/// The audit trail as a file, with the filters of its page.
enum EventExport {
    static func add(to routes: ConsoleRoutes) {
        routes.appFile("/events/export") { console in try await file(console.context, of: console.app.id) }
        for (path, app) in [("/events/export", AppID.service), ("/operators/events/export", .operators)] {
            routes.file(path) { console in
                try console.requireAllApps()
                return try await file(console, of: app)
            }
        }
    }

    private static func file(_ console: ConsoleContext, of app: AppID) async throws -> Response {
        let format = try console.query.choice("format", EventFormat.allCases)
        let query = try EventsPage.query(console.query, app: app, more: ["format"])
        let pages = try await console.service.exports.events(
            query, filters: EventsPage.filters(console.query), format: format.rawValue)
        let place = app == .service ? "service" : app == .operators ? "operators" : app.rawValue
        return .file("events-\(place).\(format.rawValue)", type: format.type, format.file(pages))
    }
}

/// How events are written into a file.
enum EventFormat: String, CaseIterable {
    case csv
    /// One JSON object per line, as the management API lists events.
    case jsonLines = "jsonl"

    var title: String { self == .csv ? "CSV" : "JSON lines" }
    var type: String { self == .csv ? "text/csv; charset=utf-8; header=present" : "application/jsonl" }

    func file(_ pages: EventPages) -> EventFile {
        switch self {
        case .csv: EventFile(pages, begin: EventRow.head) { try EventRow.text($0) }
        case .jsonLines: EventFile(pages) { try FileJSON.text($0) + "\n" }
        }
    }
}

/// An event as a row of a table.
private enum EventRow {
    private static let columns: [(name: String, value: @Sendable (Event) throws -> String?)] = [
        ("id", { $0.id }), ("created_at", { $0.createdAt.rfc3339 }), ("name", { $0.name.rawValue }),
        ("user_id", { $0.userID }), ("actor_type", { $0.context.actor?.type.rawValue }),
        ("actor_id", { $0.context.actor?.id }), ("actor_name", { $0.context.actor?.name }),
        ("ip", { $0.context.ip }), ("user_agent", { $0.context.userAgent }),
        ("device_id", { $0.context.device?.id }), ("device_model", { $0.context.device?.model }),
        ("country_code", { $0.context.device?.countryCode }), ("request_id", { $0.context.requestID }),
        ("data", { String(decoding: TokenJSON.write($0.data), as: UTF8.self) }),
    ]

    /// The row with the names of the columns.
    static let head = CSV.row(columns.map(\.name))

    static func text(_ event: Event) throws -> String { CSV.row(try columns.map { try $0.value(event) ?? "" }) }
}

/// Writes a table in the format of RFC 4180.
enum CSV {
    static func row(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r\n" }

    /// Spreadsheets calculate a cell that begins with one of these.
    private static let formula = Set("=+-@＝＋－＠".unicodeScalars)
    /// Behind these, a spreadsheet with other separators than the comma begins a cell.
    private static let separators = Set(";|\t\r\n".unicodeScalars)
    /// Spreadsheets may skip these at the begin of a cell.
    private static let skipped = Set("\" \u{A0}\u{200B}\u{FEFF}".unicodeScalars)

    /// A cell in quotes. A user can choose texts in it, such as the user agent. An apostrophe makes what could be a formula a
    /// text.
    static func cell(_ text: String) -> String {
        var (cell, begins) = ("\"", true)
        for scalar in text.unicodeScalars {
            if begins, formula.contains(scalar) || (cell == "\"" && separators.contains(scalar)) { cell += "'" }
            cell.unicodeScalars.append(scalar)
            if scalar == "\"" { cell += "\"" }
            begins = separators.contains(scalar) || (begins && skipped.contains(scalar))
        }
        return cell + "\""
    }
}
