import SessionDomain
import SessionTokens

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
    func html(_ visit: AppVisit) -> HTML {
        let series = ActivitySeries(ring, .hour)
        let source = visit.path.query([Visit.liveField: "1"])
        return H.section(.class("activity"), .id("app-activity"), .liveSource(source), .liveNode("app")) {
            H.h2 { "This app on all nodes, last hour" }
            H.p(.class("hint"), .live("app-source")) {
                "From the events of the app. Times are in UTC. Newest: \(series.time(series.points.count)). "
                if let beginning {
                    "The app has many events, so the graphs begin at " + Show.text(of: beginning) + "."
                }
            }
            H.p(.class("message warn"), .id("app-live-state"), .role("status")) {}
            H.div(.class("graphs")) { for graph in Graph.ofAppEvents { ActivityView.card(graph, series, .hour) } }
        }
    }
}
