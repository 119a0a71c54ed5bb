import SessionDomain

/// The calls of one app in the last hour, as this node has counted them.
enum AppCalls {
    /// The value of `Visit.liveField` with which the script asks for these graphs.
    static let live = "calls"

    static func html(_ visit: AppVisit) -> HTML {
        let activity = visit.visit.activity
        let ring = activity.apps.hour(of: visit.app.id)
        let series = ring.map { ActivitySeries($0, .hour) }
        return H.section(
            .class("activity"), .id("app-calls"), .liveSource(visit.path.query([Visit.liveField: live])),
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
