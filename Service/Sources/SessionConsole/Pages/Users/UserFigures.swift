import SessionDomain

/// How many users an app has. Apps with many users are counted only when an operator asks for it.
enum UserFigures {
    /// The parameter of an app's page that asks for the whole count.
    private static let countField = "count"

    static func total(_ counts: UserCounts) -> String {
        counts.isComplete ? String(counts.total) : "\(UserCounts.bound) or more"
    }

    static func suspended(_ counts: UserCounts) -> String {
        String(counts[.suspended]) + (counts.isComplete ? "" : " of the newest \(counts.total)")
    }

    /// The figures of an app's page.
    static func html(_ visit: AppVisit) async throws -> HTML {
        let counts = try await visit.service.users.counts(app: visit.app.id)
        if counts.isComplete { return figures { counts[$0] } }
        guard visit.visit.query.text(countField) == "all" else {
            return Show.card("\(UserCounts.bound) users or more") {
                H.p {
                    let parts = User.Status.allCases.map { "\(counts[$0]) are \($0.rawValue)" }
                    "Of the newest \(counts.total), " + parts.joined(separator: ", ") + "."
                }
                H.div(.class("actions")) {
                    Link.button("Count all users", visit.path.query([countField: "all"]))
                    H.span(.class("hint")) { "It can take seconds." }
                }
            }
        }
        var all: [User.Status: Int] = [:]
        for status in User.Status.allCases {
            all[status] = try await visit.service.users.users(app: visit.app.id, status: status, limit: 1).total ?? 0
        }
        return figures { all[$0] ?? 0 }
    }

    private static func figures(_ count: (User.Status) -> Int) -> HTML {
        Show.figures([
            "Active users": count(.active), "Inactive users": count(.inactive), "Suspended users": count(.suspended),
        ])
    }
}
