import SessionDomain
import SessionTokens

/// The origin at which the playground calls an app, and whether a page of the console may.
struct PlaygroundTarget {
    let origin: String
    /// Whether console and app have the same origin, as in development mode. Then nothing needs to be allowed.
    let isOwn: Bool
    /// Whether the app lists the console's origin.
    let isAllowed: Bool

    var isReady: Bool { isOwn || isAllowed }

    /// Prefers the origin of the console, then the app's main origin.
    ///
    /// - Returns: `nil` if no origin of the service leads to this app.
    init?(_ visit: AppVisit) async throws {
        let directory = visit.service.directory
        let app = try await directory.app(visit.app.id)
        let origins = app.origins.origins(of: visit.app).compactMap { TargetURI($0)?.origin }
        let own = visit.visit.origin
        var found: String?
        for origin in origins.filter({ $0 == own }) + origins where found == nil {
            let host = String(origin[(origin.firstRange(of: "://")?.upperBound ?? origin.startIndex)...])
            if (try? await directory.app(host: host))?.settings.id == visit.app.id { found = origin }
        }
        guard let found else { return nil }
        origin = found
        isOwn = found == own
        isAllowed = own.map { visit.app.allowedOrigins.contains($0) } ?? false
    }
}
