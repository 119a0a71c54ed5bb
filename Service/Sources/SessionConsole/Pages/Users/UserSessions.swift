import SessionDomain
import SessionHTTP
import SessionTokens

/// The sessions on the page of a user, with their filter.
struct UserSessions {
    /// The parameters of the page, by their labels.
    private static let labels = ["device_type": "Device", "country_code": "Country", "device_id": "Device id"]

    private let console: ConsoleAppContext
    private let path: ConsolePath
    private let part: Part
    private let page: ListPage<Session>
    /// How many live sessions the user has, also those that the filter leaves out.
    private let all: Int
    private let addresses: [String: String]
    /// Why the filter is refused.
    let problem: String?

    private var isFiltered: Bool { Self.labels.keys.contains { console.context.query.filled($0) != nil } }

    init(of user: User, path: ConsolePath, _ console: ConsoleAppContext) async throws {
        let (users, query) = (console.service.users, console.context.query)
        (self.console, self.path, part) = (console, path, Part(query))
        var (filter, problem): (SessionFilter?, String?)
        do {
            try query.checkFilters(Set(Self.labels.keys).union(["offset"]))
            try Part.check(query)
            filter = try SessionFilter(query.filters)
        } catch {
            let refused = Problem(error, of: query, to: path)
            problem = refused.message(label: refused.field.flatMap { Self.labels[$0] })
        }
        self.problem = problem
        page = try await users.sessions(
            of: user.id, app: console.app.id, filter: filter ?? SessionFilter(), limit: Part.size,
            from: .offset(part.offset))
        if filter == SessionFilter() {
            all = page.total ?? 0
        } else {
            all = try await users.sessions(of: user.id, app: console.app.id, limit: 1).total ?? 0
        }
        addresses = try await SessionTable.addresses(of: user.id, console)
    }

    func html() -> HTML {
        HTML(joining: [isFiltered || all > 1 ? filterForm : .empty, list])
    }

    private var list: HTML {
        if let problem { return H.p(.class("message bad"), .role("alert")) { problem } }
        let total = page.total ?? 0
        if total == 0, isFiltered {
            return Format.empty(
                "No session fits the filter",
                all == 0 ? "The user is signed in on no device." : "Change the filter, or show all sessions.",
                Link.button("Show all sessions", path))
        }
        if total > 0, part.offset >= total {
            return Format.empty(
                "There are no further sessions", "The list has \(Format.count(total, "session")).",
                Link.button("Show the first ones", address(offset: nil)))
        }
        return HTML(joining: [
            SessionTable.html(page.elements, part: part, all: all, isFiltered: isFiltered, addresses, path, console),
            total > Part.size || part.offset > 0
                ? part.links(total: total, noun: "session", path: address) : .empty,
        ])
    }

    /// The page with the same filter.
    private func address(offset: String?) -> ConsolePath {
        let query = console.context.query
        return path.query([
            "device_type": query.filled("device_type"), "country_code": query.filled("country_code"),
            "device_id": query.filled("device_id"), "offset": offset,
        ])
    }

    private var filterForm: HTML {
        FilterForm.html(path, label: "Filter of the sessions") {
            FilterForm.choice(
                "device_type", label("device_type"), SessionFilter.deviceTypes, all: "all", hint: "The kind of device",
                console.context)
            FilterForm.text("country_code", label("country_code"), "FR", console.context)
            FilterForm.text("device_id", label("device_id"), "The X-Device-Id of its calls, a UUID", console.context)
        }
    }

    private func label(_ name: String) -> String { Self.labels[name] ?? name }
}

/// The sessions of a user.
enum SessionTable {
    /// The address from which each session was begun, by its id, as far as the newest events tell.
    static func addresses(of user: String, _ console: ConsoleAppContext) async throws -> [String: String] {
        let query = EventQuery(
            app: console.app.id, user: user, name: .exactly(Event.Name.sessionCreated.rawValue), limit: 100)
        var addresses: [String: String] = [:]
        for event in try await console.service.store.events(query) ?? [] {
            if let id = event.data["session_id"]?.stringValue { addresses[id] = event.context.ip }
        }
        return addresses
    }

    /// - Parameters:
    ///   - all: How many sessions the user has, also those that a filter leaves out.
    ///   - isFiltered: Whether some may be left out. Then there is no link that revokes all, because it would revoke those, too.
    static func html(
        _ sessions: [Session], part: Part, all: Int, isFiltered: Bool, _ addresses: [String: String],
        _ path: ConsolePath, _ console: ConsoleAppContext
    ) -> HTML {
        guard all > 0 else {
            return Format.empty("No active session", "The user is signed in on no device.")
        }
        let canWrite = console.context.canSupport
        return TableView.html(
            isFiltered ? "Active sessions that fit the filter" : "Active sessions",
            columns: ["Device", "Country", "Signed in from", "Signed in", "Last seen", "Ends"]
                + (canWrite ? ["Action"] : []),
            sessions.enumerated().map { index, session in
                let number = all == 1 ? nil : part.offset + index + 1
                return row(session, addresses, canWrite ? actions(session, number, path) : nil)
            },
            action: canWrite && all > 1 && !isFiltered
                ? Link.button("Revoke all", path / "sessions" / "revoke-all", "danger") : nil)
    }

    private static func row(_ session: Session, _ addresses: [String: String], _ action: HTML?) -> TableView.Row {
        let cells = [
            Format.text(session.device.countryCode), Format.text(addresses[session.id]), Format.time(session.createdAt),
            Format.time(session.lastSeenAt), Format.time(session.expiresAt),
        ]
        return TableView.Row(head: H.bdi { name(of: session.device) }, cells: cells + (action.map { [$0] } ?? []))
    }

    /// - Parameter number: The place of the session in the list, because several may be on equal devices. `nil`: it is the
    ///   only one.
    private static func actions(_ session: Session, _ number: Int?, _ path: ConsolePath) -> HTML {
        let own = path / "sessions" / session.id
        let name = "session " + (number.map { "\($0) " } ?? "") + "on " + name(of: session.device)
        return H.div(.class("actions")) {
            Link.button("Revoke", own / "revoke", "small danger", label: "Revoke the " + name)
            if number != nil {
                Link.button(
                    "Revoke others", own / "revoke-others", "small", label: "Revoke others, and keep the " + name)
            }
        }
    }

    static func name(of device: Device) -> String {
        let parts = [device.model, device.osVersion].filter { !$0.isEmpty }
        if !parts.isEmpty { return parts.joined(separator: ", ") }
        return device.type == "unknown" ? "Unknown device" : device.type
    }
}
