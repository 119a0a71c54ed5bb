import Hummingbird
import SessionDomain
import SessionHTTP

/// The audit trail as a file, with the filters of its page.
enum EventExport {
    static func add(to routes: ConsoleRoutes) {
        routes.appFile("/events/export") { visit in try await file(visit.visit, of: visit.app.id) }
        for (path, app) in [("/events/export", AppID.service), ("/operators/events/export", .operators)] {
            routes.file(path) { visit in
                try visit.requireAllApps()
                return try await file(visit, of: app)
            }
        }
    }

    private static func file(_ visit: Visit, of app: AppID) async throws -> Response {
        let format = try visit.query.choice("format", EventFormat.allCases)
        let query = try EventsPage.query(visit.query, app: app, more: ["format"])
        let pages = try await visit.service.exports.events(
            query, filters: EventsPage.filters(visit.query), format: format.rawValue)
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
