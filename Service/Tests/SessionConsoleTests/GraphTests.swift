import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Graphs of the console")
struct GraphTests {
    /// Amounts at the ends of the first slots after the clock of the world.
    private func record(_ world: ConsoleWorld, _ totals: [Int]) {
        for (slot, total) in totals.enumerated() {
            var amounts = ActivityAmounts()
            amounts[.refreshesRenewed] = total
            amounts.latency.counts[4] = total
            world.activity.record(amounts, at: world.clock.timestamp + (slot + 1) * 10)
        }
    }

    /// The graphs of an app while its calls have no response times.
    private let ofSilentApp = Graph.ofAppEvents.count + Graph.ofAppCalls.count - 1

    @Test("A line has a point for each value, a gap for each missing one, and a dot for one alone")
    func path() {
        #expect(GraphPath.commands([0, 10, nil, 5, nil, 5, 5, 5, 0], top: 10) == "M0 100L1 0M3 50h0M5 50L7 50L8 100")
        #expect(GraphPath.commands([nil, nil], top: 10) == "")
        #expect(GraphPath.commands([1, 1.0 / 3], top: 2) == "M0 50L1 83.3")
    }

    @Test("The axis ends above the largest value, and its middle has a short label")
    func axis() {
        let count = Graph.all[0]
        #expect([0, 1, 2, 3, 5, 11, 21, 99, 101].map { count.top(of: $0) } == [2, 2, 2, 4, 10, 20, 40, 100, 200])
        let seconds = Graph.all[3]
        #expect(seconds.measure == .seconds)
        #expect(
            [0.0004, 0.003, 0.3, 3].map { seconds.text(seconds.top(of: $0)) } == ["2 ms", "4 ms", "400 ms", "4 s"])
        #expect(
            [0.0175, 0.0042, 0.25, 0.99996, 2.55, nil].map(seconds.text) == [
                "18 ms", "4.2 ms", "250 ms", "1 s", "2.6 s", "–",
            ])
    }

    @Test("A point of the last hour is the minute before it, and a row of the table five minutes")
    func series() {
        var ring = ActivityRing(step: 10, capacity: 360)
        for slot in 0..<8 as Range<Int64> {
            var amounts = ActivityAmounts()
            amounts[.smsSent] = 1 << Int(slot)
            ring.add(amounts, at: 3600 + slot * 10)
        }
        let series = ActivitySeries(ring, .hour)
        #expect(series.points.suffix(9).map { $0?[.smsSent] } == [nil, 1, 3, 7, 15, 31, 63, 126, 252])
        #expect(series.rows.map(\.first) == [330] && series.rows.map { $0.amounts[.smsSent] } == [255])
        #expect(series.time(360) == "01:01" && series.time(0) == "00:01" && series.total[.smsSent] == 255)
    }

    @Test("The overview and the page of the graphs show lines, totals and numbers, without a script")
    func pages() async throws {
        let world = try await ConsoleWorld()
        record(world, [3, 3, 10])
        var (browser, _) = try await world.operatorBrowser(role: .read)
        for path in ["/console", "/console/activity", "/console/activity?range=day", ConsoleWorld.app] {
            let text = try await browser.get(path).text
            let count = Graph.all.count + (path == ConsoleWorld.app ? ofSilentApp : 0)
            #expect(text.matches(of: /<svg [^>]*role="img"/).count == count, "\(path)")
            let unit = path.hasSuffix("day") ? "in 5 minutes" : "per minute"
            #expect(text.contains("Refreshes<span class=\"unit\"> \(unit)</span>"), "\(path)")
            #expect(text.contains("<span>renewed</span><strong>10</strong>") && text.contains("<td>10</td>"), "\(path)")
            #expect(text.contains("node-&lt;1&gt;") && text.contains("<strong>25 ms</strong>"), "\(path)")
        }
        #expect(try await browser.get("/console/activity").text.contains("M357 70L358 70L359 0"))
        let overview = try await browser.get(ConsoleWorld.app).text
        #expect(overview.contains("of all apps of this service together, not only of this app"))
        #expect(overview.contains("data-live-source=\"/console/activity?range=hour&amp;live=1\""))
    }

    @Test("The overview of an app has the calls of this app alone, and says that they are those of one node")
    func app() async throws {
        let world = try await ConsoleWorld()
        let (app, other) = (try #require(AppID("testapp")), try #require(AppID("other01")))
        for id in [app, other, other] {
            world.activity.apps.observe(.refresh(.rotated, id))
            world.activity.apps.observe(
                .request(
                    ServedRequest(
                        route: "/v1/session/refresh", method: "POST", status: id == app ? 503 : 200, seconds: 0.02,
                        app: id)))
        }
        var (browser, _) = try await world.operatorBrowser(app: app, role: .read)
        var text = try await browser.get(ConsoleWorld.app).text
        #expect(text.contains("The first figures appear within 20 seconds.") && !text.contains("app-refreshes"))
        record(world, [0])
        text = try await browser.get(ConsoleWorld.app + "?live=calls").text
        #expect(
            text.contains("This app on this node, last hour") && text.contains("The node <strong><bdi>node-&lt;1&gt;"))
        #expect(text.contains("<span>renewed</span><strong>1</strong>"))
        #expect(text.contains("<span>errors</span><strong>1</strong>") && text.contains("<strong>18 ms</strong>"))
        #expect(text.matches(of: /<svg [^>]*role="img"/).count == Graph.ofAppCalls.count)
        let whole = try await browser.get(ConsoleWorld.app).text
        #expect(whole.contains("This app on all nodes, last hour") && whole.contains("id=\"app-calls\""))
    }

    @Test("An app that this node does not count has no graphs of its calls, and the page says why")
    func uncounted() async throws {
        let world = try await ConsoleWorld()
        for number in 0..<AppActivityRecorder.maximumApps {
            let id = try #require(AppID("app" + String(1000 + number)))
            world.activity.apps.observe(.refresh(.rotated, id))
        }
        record(world, [0])
        var (browser, _) = try await world.operatorBrowser()
        let text = try await browser.get(ConsoleWorld.app + "?live=calls").text
        #expect(text.contains("This node counts 100 apps at most") && !text.contains("app-refreshes"))
    }

    @Test("Before the first reading, and without calls, the page says so")
    func empty() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        var text = try await browser.get("/console/activity").text
        #expect(text.contains("The first figures appear within 20 seconds.") && !text.contains("<svg"))
        record(world, [0])
        text = try await browser.get("/console/activity").text
        #expect(text.contains("No calls in this time.") && text.matches(of: /role="img"/).count == Graph.all.count - 1)
    }

    @Test("A key of one app sees no graph of all apps, and a wrong range is named")
    func permission() async throws {
        let world = try await ConsoleWorld()
        record(world, [3])
        var (browser, _) = try await world.operatorBrowser(app: AppID("testapp"))
        #expect(try await browser.get("/console/activity").status == 403)
        for path in ["/console", ConsoleWorld.app] {
            let answer = try await browser.get(path)
            #expect(answer.status == 200 && !answer.text.contains("/console/activity"))
            #expect(answer.text.matches(of: /<svg [^>]*role="img"/).count == ofSilentApp)
        }
        var (other, _) = try await world.operatorBrowser()
        let answer = try await other.get("/console/activity?range=week")
        #expect(answer.status == 400 && answer.text.contains("Range must be hour or day."))
    }

    @Test("A page that a script asks for does not keep the session alive")
    func sessionEnd() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        for _ in 0..<3 {
            world.clock.advance(by: .seconds(540))
            let answer = try await browser.get("/console/activity?range=hour&live=1")
            #expect(answer.status == 200 && answer.cookie == nil)
        }
        world.clock.advance(by: .seconds(240))
        #expect(
            try await browser.get("/console/activity?range=hour&live=1").location?.hasPrefix("/console/sign-in") == true
        )
        (browser, _) = try await world.operatorBrowser()
        world.clock.advance(by: .seconds(540))
        #expect(try await browser.get("/console/activity").cookie != nil)
    }

    @Test("The script is served under its hash, as a script")
    func script() async throws {
        var browser = Browser(world: try await ConsoleWorld(), host: "console.test")
        let answer = try await browser.get(Asset.liveScript.path.text)
        #expect(answer.status == 200 && answer.text == LiveScript.text)
        #expect(answer.head.headerFields[.contentType] == "text/javascript; charset=utf-8")
        #expect(answer.head.headerFields[.cacheControl]?.contains("immutable") == true)
    }
}
