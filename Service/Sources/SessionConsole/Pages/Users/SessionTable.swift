import SessionDomain
import SessionTokens

/// The sessions of a user.
enum SessionTable {
    /// The address from which each session was begun, by its id, as far as the newest events tell.
    static func addresses(of user: String, _ visit: AppVisit) async throws -> [String: String] {
        let query = EventQuery(
            app: visit.app.id, user: user, name: .exactly(Event.Name.sessionCreated.rawValue), limit: 100)
        var addresses: [String: String] = [:]
        for event in try await visit.service.store.events(query) ?? [] {
            if let id = event.data["session_id"]?.stringValue { addresses[id] = event.context.ip }
        }
        return addresses
    }

    /// - Parameters:
    ///   - all: How many sessions the user has, also those that a filter leaves out.
    ///   - isFiltered: Whether some may be left out. Then there is no link that revokes all, because it would revoke those, too.
    static func html(
        _ sessions: [Session], part: Part, all: Int, isFiltered: Bool, _ addresses: [String: String],
        _ path: ConsolePath, _ visit: AppVisit
    ) -> HTML {
        guard all > 0 else {
            return Show.empty("No active session", "The user is signed in on no device.")
        }
        let canWrite = visit.visit.canSupport
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
            Show.text(session.device.countryCode), Show.text(addresses[session.id]), Show.time(session.createdAt),
            Show.time(session.lastSeenAt), Show.time(session.expiresAt),
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
