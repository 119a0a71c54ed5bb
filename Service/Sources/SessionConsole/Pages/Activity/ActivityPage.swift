import SessionDomain
import SessionTokens

/// The graphs of the process that answers, of the last hour or of the last day.
enum ActivityPage {
    static let title = "Activity"
    static let rangeField = "range"

    static func add(to routes: ConsoleRoutes) {
        routes.page("/activity") { console in
            try console.requireAllApps()
            let text = console.query.filled(rangeField)
            guard let range = text.map(ActivityRange.init(rawValue:)) ?? .hour else {
                throw Refusal.invalidField(rangeField, "must be hour or day")
            }
            var page = Page(title) { ActivityView.html(console.activity, range) }
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

/// The slots of a ring, added up for points, rows and the whole range.
struct ActivitySeries {
    /// What a point of a graph is about: the slot and those before it, as many as the window of the range. `nil`: the slot
    /// has no record.
    let points: [ActivityAmounts?]
    /// What a row of a table is about, with its first slot. Rows without a record are left out.
    let rows: [(first: Int, amounts: ActivityAmounts)]
    let total: ActivityAmounts
    /// The end of the newest slot. `nil`: nothing was recorded yet.
    let end: Timestamp?
    let step: Int64

    init(_ ring: ActivityRing, _ range: ActivityRange) {
        let slots = ring.slots
        points = slots.indices.map { index in
            slots[index] == nil ? nil : Self.sum(slots[max(0, index - range.window + 1)...index])
        }
        var rows: [(first: Int, amounts: ActivityAmounts)] = []
        for first in stride(from: 0, to: slots.count, by: range.row) {
            let part = slots[first..<min(first + range.row, slots.count)]
            if part.contains(where: { $0 != nil }) { rows.append((first, Self.sum(part))) }
        }
        self.rows = rows
        total = Self.sum(slots[...])
        (end, step) = (ring.end, ring.step)
    }

    private static func sum(_ slots: ArraySlice<ActivityAmounts?>) -> ActivityAmounts {
        slots.reduce(into: ActivityAmounts()) { sum, slot in if let slot { sum += slot } }
    }

    /// The time at which a slot begins; that of the slot after the last one is the end.
    func time(_ slot: Int) -> String {
        guard let end else { return "" }
        return String((end - (points.count - slot) * Int(step)).rfc3339.dropFirst(11).prefix(5))
    }
}

/// The graphs as HTML. They need no script; with it, the parts with a name for `live` are replaced while the page is open.
enum ActivityView {
    static func html(_ activity: ActivityRecorder, _ range: ActivityRange) -> HTML {
        let series = ActivitySeries(range.ring(of: activity), range)
        let source = range.path.query([ConsoleContext.liveField: "1"])
        return H.section(.class("activity"), .id("activity"), .liveSource(source), .liveNode(process(activity))) {
            H.div(.class("card-head")) {
                H.h2 { "All apps, " + range.name }
                H.nav(.class("pages"), .aria(label: "Time of the graphs")) {
                    for each in ActivityRange.allCases {
                        H.a(
                            .class("button small"), .href(each.path), each == range ? .aria(current: "true") : nil
                        ) {
                            each == .hour ? "Last hour" : "Last day"
                            H.span(.class("hidden")) { " of all apps" }
                        }
                    }
                }
            }
            H.p(.class("hint"), .live("node")) { origin(activity, series) }
            H.p(.class("message warn"), .id("live-state"), .role("status")) {}
            if series.end != nil {
                H.div(.class("graphs")) { for graph in Graph.all { card(graph, series, range) } }
            }
        }
    }

    /// Tells figures of this process from those of another one.
    static func process(_ activity: ActivityRecorder) -> String { activity.node + " " + activity.startedAt.rfc3339 }

    /// Which node has counted, and since when.
    @HTMLBuilder
    static func origin(_ activity: ActivityRecorder, _ series: ActivitySeries) -> HTML {
        "The node "
        H.strong { H.bdi { activity.node } }
        ", since its start at "
        Format.time(activity.startedAt)
        ". Other nodes have their own figures. "
        series.end.map { _ in "Times are in UTC. Newest: \(series.time(series.points.count))." }
            ?? "The first figures appear within 20 seconds."
    }

    static func card(_ graph: Graph, _ series: ActivitySeries, _ range: ActivityRange) -> HTML {
        H.section(.class("card graph"), .aria(labelledBy: graph.id + "-title")) {
            H.h3(.id(graph.id + "-title")) {
                graph.title
                H.span(.class("unit")) { graph.measure == .count ? " " + range.unit : "" }
            }
            H.p(.class("hint")) { graph.note }
            H.ul(.class("legend"), .live(graph.id + "-legend")) {
                for line in graph.lines {
                    H.li {
                        H.svg(.class("sample"), .viewBox(width: 28, height: 8), .ariaHidden) {
                            H.path(.class("line \(line.style.rawValue)"), .path("M1 4H27")) {}
                        }
                        H.span { line.name }
                        H.strong { graph.text(line.value(series.total)) }
                    }
                }
            }
            H.div(.live(graph.id + "-plot")) { plot(graph, series, range) }
            H.details {
                H.summary {
                    "Numbers"
                    H.span(.class("hidden")) { " of the graph " + graph.title }
                }
                H.div(.class("scroll"), .role("region"), .aria(label: "Numbers of " + graph.title), .tabIndex(0)) {
                    table(graph, series, range)
                }
            }
        }
    }

    private static func plot(_ graph: Graph, _ series: ActivitySeries, _ range: ActivityRange) -> HTML {
        let lines = graph.lines.map { line in (line, series.points.map { $0.flatMap(line.value) }) }
        guard let largest = lines.flatMap({ $0.1.compactMap(\.self) }).max() else {
            return H.p(.class("plot-empty")) { "No calls in this time." }
        }
        let (top, width) = (graph.top(of: largest), series.points.count - 1)
        let totals = graph.lines.map { "\($0.name) \(graph.text($0.value(series.total)))" }.joined(separator: ", ")
        return H.div(.class("plot")) {
            H.div(.class("y"), .ariaHidden) {
                for value in [top, top / 2, 0] { H.span { graph.text(value) } }
            }
            H.svg(
                .viewBox(width: width, height: GraphPath.height), .stretched, .role("img"),
                .aria(label: "\(graph.title), \(range.name): \(totals). The numbers follow in a table.")
            ) {
                H.path(.class("grid"), .path("M0 0H\(width)M0 50H\(width)M0 100H\(width)")) {}
                for (line, values) in lines {
                    H.path(.class("line \(line.style.rawValue)"), .path(GraphPath.commands(values, top: top))) {}
                }
            }
            H.div(.class("x"), .ariaHidden) {
                for quarter in 0...4 { H.span { series.time(series.points.count * quarter / 4) } }
            }
        }
    }

    private static func table(_ graph: Graph, _ series: ActivitySeries, _ range: ActivityRange) -> HTML {
        H.table {
            H.caption(.class("hidden")) { "\(graph.title), \(range.name)" }
            H.thead {
                H.tr {
                    H.th(.scope("col")) { "Time" }
                    for line in graph.lines { H.th(.scope("col")) { line.name } }
                }
            }
            H.tbody(.live(graph.id + "-rows")) {
                for row in series.rows {
                    H.tr {
                        H.th(.scope("row")) {
                            let end = min(row.first + range.row, series.points.count)
                            series.time(row.first) + " – " + series.time(end)
                        }
                        for line in graph.lines { H.td { graph.text(line.value(row.amounts)) } }
                    }
                }
            }
        }
    }
}

/// What happened in one app in the last hour, from its events: on all nodes, and also before their restart.
struct AppActivity {
    /// The most events of one name that are read. Of a busier app, there are graphs of a shorter time.
    static let bound = 500

    let ring: ActivityRing
    /// When the graphs begin, if that is later than an hour ago.
    let beginning: Timestamp?

    private static let names: [Event.Name] = [
        .sessionCreated, .loginFailed, .loginLimited, .codeSent, .codeFailed, .noticeSent, .noticeFailed,
    ]
    private static let capacity = 360

    /// - Parameter now: The slot of this time is not over yet, so it is left out.
    init(of app: AppID, in store: any ServiceStore, at now: Timestamp) async throws {
        var ring = ActivityRing(step: ActivityRecorder.interval, capacity: Self.capacity)
        let end = now.milliseconds / 1000 / ring.step * ring.step
        let start = end - Int64(Self.capacity) * ring.step
        func slot(of event: Event) -> Int { Int((event.createdAt.milliseconds / 1000 - start) / ring.step) }
        var (slots, first) = (Array(repeating: ActivityAmounts(), count: Self.capacity), 0)
        for name in Self.names {
            let query = EventQuery(
                app: app, name: .exactly(name.rawValue), from: Timestamp(milliseconds: start * 1000),
                until: Timestamp(milliseconds: end * 1000), limit: Self.bound)
            let events = try await store.events(query) ?? []
            for event in events where slots.indices.contains(slot(of: event)) {
                slots[slot(of: event)][Self.count(of: event)] += 1
            }
            // The slot of the oldest one may have more of them, which were not read.
            if events.count == Self.bound, let oldest = events.last { first = max(first, slot(of: oldest) + 1) }
        }
        first = min(first, Self.capacity - 1)
        for slot in first..<Self.capacity { ring.add(slots[slot], at: start + Int64(slot) * ring.step) }
        self.ring = ring
        beginning = first == 0 ? nil : Timestamp(milliseconds: (start + Int64(first) * ring.step) * 1000)
    }

    private static func count(of event: Event) -> ActivityCount {
        let isSMS = event.data["channel"]?.stringValue == OTPLoginConfig.Channel.sms.rawValue
        switch event.name {
        case .sessionCreated: return .loginsSucceeded
        case .loginFailed: return .loginsFailed
        case .loginLimited: return .callsLimited
        case .codeSent, .noticeSent: return isSMS ? .smsSent : .mailsSent
        default: return isSMS ? .smsFailed : .mailsFailed
        }
    }

    /// The graphs as HTML, which the script of graphs keeps up to date.
    func html(_ console: ConsoleAppContext) -> HTML {
        let series = ActivitySeries(ring, .hour)
        let source = console.path.query([ConsoleContext.liveField: "1"])
        return H.section(.class("activity"), .id("app-activity"), .liveSource(source), .liveNode("app")) {
            H.h2 { "This app on all nodes, last hour" }
            H.p(.class("hint"), .live("app-source")) {
                "From the events of the app. Times are in UTC. Newest: \(series.time(series.points.count)). "
                if let beginning {
                    "The app has many events, so the graphs begin at " + Format.text(of: beginning) + "."
                }
            }
            H.p(.class("message warn"), .id("app-live-state"), .role("status")) {}
            H.div(.class("graphs")) { for graph in Graph.ofAppEvents { ActivityView.card(graph, series, .hour) } }
        }
    }
}

/// The calls of one app in the last hour, as this node has counted them.
enum AppCalls {
    /// The value of `ConsoleContext.liveField` with which the script asks for these graphs.
    static let live = "calls"

    static func html(_ console: ConsoleAppContext) -> HTML {
        let activity = console.context.activity
        let ring = activity.apps.hour(of: console.app.id)
        let series = ring.map { ActivitySeries($0, .hour) }
        return H.section(
            .class("activity"), .id("app-calls"), .liveSource(console.path.query([ConsoleContext.liveField: live])),
            .liveNode(ActivityView.process(activity))
        ) {
            H.h2 { "This app on this node, last hour" }
            H.p(.class("hint"), .live("app-calls-source")) {
                if let series {
                    ActivityView.origin(activity, series)
                } else {
                    "This node counts \(AppActivityRecorder.maximumApps) apps at most, and this app is not one of them. "
                    "An app loses its place an hour after its last call."
                }
            }
            H.p(.class("message warn"), .id("app-calls-live-state"), .role("status")) {}
            if let series, series.end != nil {
                H.div(.class("graphs")) { for graph in Graph.ofAppCalls { ActivityView.card(graph, series, .hour) } }
            }
        }
    }
}
