import SessionDomain
import SessionHTTP

/// The sessions on the page of a user, with their filter.
struct UserSessions {
    /// The parameters of the page, by their labels.
    private static let labels = ["device_type": "Device", "country_code": "Country", "device_id": "Device id"]

    private let visit: AppVisit
    private let path: ConsolePath
    private let part: Part
    private let page: ListPage<Session>
    /// How many live sessions the user has, also those that the filter leaves out.
    private let all: Int
    private let addresses: [String: String]
    /// Why the filter is refused.
    let problem: String?

    private var isFiltered: Bool { Self.labels.keys.contains { visit.visit.query.filled($0) != nil } }

    init(of user: User, path: ConsolePath, _ visit: AppVisit) async throws {
        let (users, query) = (visit.service.users, visit.visit.query)
        (self.visit, self.path, part) = (visit, path, Part(query))
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
            of: user.id, app: visit.app.id, filter: filter ?? SessionFilter(), limit: Part.size,
            from: .offset(part.offset))
        if filter == SessionFilter() {
            all = page.total ?? 0
        } else {
            all = try await users.sessions(of: user.id, app: visit.app.id, limit: 1).total ?? 0
        }
        addresses = try await SessionTable.addresses(of: user.id, visit)
    }

    func html() -> HTML {
        HTML(joining: [isFiltered || all > 1 ? filterForm : .empty, list])
    }

    private var list: HTML {
        if let problem { return H.p(.class("message bad"), .role("alert")) { problem } }
        let total = page.total ?? 0
        if total == 0, isFiltered {
            return Show.empty(
                "No session fits the filter",
                all == 0 ? "The user is signed in on no device." : "Change the filter, or show all sessions.",
                Link.button("Show all sessions", path))
        }
        if total > 0, part.offset >= total {
            return Show.empty(
                "There are no further sessions", "The list has \(Show.count(total, "session")).",
                Link.button("Show the first ones", address(offset: nil)))
        }
        return HTML(joining: [
            SessionTable.html(page.elements, part: part, all: all, isFiltered: isFiltered, addresses, path, visit),
            total > Part.size || part.offset > 0
                ? part.links(total: total, noun: "session", path: address) : .empty,
        ])
    }

    /// The page with the same filter.
    private func address(offset: String?) -> ConsolePath {
        let query = visit.visit.query
        return path.query([
            "device_type": query.filled("device_type"), "country_code": query.filled("country_code"),
            "device_id": query.filled("device_id"), "offset": offset,
        ])
    }

    private var filterForm: HTML {
        FilterForm.html(path, label: "Filter of the sessions") {
            FilterForm.choice(
                "device_type", label("device_type"), SessionFilter.deviceTypes, all: "all", hint: "The kind of device",
                visit.visit)
            FilterForm.text("country_code", label("country_code"), "FR", visit.visit)
            FilterForm.text("device_id", label("device_id"), "The X-Device-Id of its calls, a UUID", visit.visit)
        }
    }

    private func label(_ name: String) -> String { Self.labels[name] ?? name }
}
