import SessionDomain

/// The graphs of the process that answers, of the last hour or of the last day.
enum ActivityPage {
    static let title = "Activity"
    static let rangeField = "range"

    static func add(to routes: ConsoleRoutes) {
        routes.page("/activity") { visit in
            try visit.requireAllApps()
            let text = visit.query.filled(rangeField)
            guard let range = text.map(ActivityRange.init(rawValue:)) ?? .hour else {
                throw Refusal.invalidField(rangeField, "must be hour or day")
            }
            var page = Page(title) { ActivityView.html(visit.activity, range) }
            page.script = .live
            return page
        }
    }
}

/// The time that graphs show.
enum ActivityRange: String, CaseIterable {
    case hour, day

    func ring(of activity: ActivityRecorder) -> ActivityRing {
        switch self {
        case .hour: activity.hour
        case .day: activity.day
        }
    }

    /// How many slots a point of a graph is about: with slots of ten seconds, the minute before it.
    var window: Int {
        switch self {
        case .hour: 6
        case .day: 1
        }
    }

    /// How many slots a row of a table is about: five minutes, or an hour.
    var row: Int {
        switch self {
        case .hour: 30
        case .day: 12
        }
    }

    /// What a point counts.
    var unit: String {
        switch self {
        case .hour: "per minute"
        case .day: "in 5 minutes"
        }
    }

    var name: String { "last " + rawValue }

    /// The page with this range.
    var path: ConsolePath { .activity.query([ActivityPage.rangeField: rawValue]) }
}
