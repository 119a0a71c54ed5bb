import SessionDomain

/// The graphs as HTML. They need no script; with it, the parts with a name for `live` are replaced while the page is open.
enum ActivityView {
    static func html(_ activity: ActivityRecorder, _ range: ActivityRange) -> HTML {
        let series = ActivitySeries(range.ring(of: activity), range)
        let source = range.path.query([Visit.liveField: "1"])
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
        Show.time(activity.startedAt)
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
