import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionConsole

@Suite("Graphs of one app")
struct AppActivityTests {
    private func activity(of app: AppID, _ world: ConsoleWorld) async throws -> AppActivity {
        try await AppActivity(of: app, in: world.service.store, at: world.clock.timestamp)
    }

    private func total(_ activity: AppActivity, _ count: ActivityCount) -> Int {
        ActivitySeries(activity.ring, .hour).total[count]
    }

    /// Writes events as if they had happened some seconds ago.
    private func write(
        _ name: Event.Name, _ count: Int = 1, ago seconds: Int = 60, app: AppID, data: [String: JSONValue] = [:],
        _ world: ConsoleWorld
    ) async throws {
        let time = world.clock.timestamp - seconds
        let events = (0..<count).map { _ in
            Event(id: world.service.environment.newID("evt"), appID: app, name: name, createdAt: time, data: data)
        }
        try await world.service.store.perform(AppendEvents(events))
    }

    @Test("Logins and messages of the app are counted in the slot in which they were, for an hour")
    func counts() async throws {
        let (world, app) = (try await ConsoleWorld(), try #require(AppID("testapp")))
        let other = try await world.service.apps.create(id: AppID("another"), name: "Other").id
        try await write(.sessionCreated, 3, ago: 60, app: app, world)
        try await write(.sessionCreated, 1, ago: 3500, app: app, world)
        try await write(.sessionCreated, 5, ago: 3700, app: app, world)
        try await write(.sessionCreated, 7, app: other, world)
        try await write(.loginFailed, 2, app: app, world)
        try await write(.loginLimited, 1, app: app, world)
        for (name, channel) in [(Event.Name.codeSent, "email"), (.noticeSent, "sms"), (.codeFailed, "sms")] {
            try await write(name, app: app, data: ["channel": .string(channel)], world)
        }
        let found = try await activity(of: app, world)
        for (count, expected) in [
            (ActivityCount.loginsSucceeded, 4), (.loginsFailed, 2), (.callsLimited, 1), (.mailsSent, 1), (.smsSent, 1),
            (.smsFailed, 1), (.mailsFailed, 0),
        ] {
            #expect(total(found, count) == expected, "\(count)")
        }
        #expect(found.beginning == nil && found.ring.slots.allSatisfy { $0 != nil })
        let slots = found.ring.slots.map { $0?[.loginsSucceeded] ?? 0 }
        #expect(slots.filter { $0 > 0 } == [1, 3] && slots.suffix(8).contains(3))
    }

    @Test("Of a busy app, a bounded number of events is read, and the graphs begin where they are whole")
    func bound() async throws {
        let (world, app) = (try await ConsoleWorld(), try #require(AppID("testapp")))
        try await write(.sessionCreated, 300, ago: 1800, app: app, world)
        try await write(.sessionCreated, AppActivity.bound - 100, ago: 600, app: app, world)
        let found = try await activity(of: app, world)
        #expect(total(found, .loginsSucceeded) == AppActivity.bound - 100)
        let beginning = try #require(found.beginning)
        #expect(beginning > world.clock.timestamp - 1800 && beginning <= world.clock.timestamp - 1780)
        #expect(found.ring.slots.first == .some(nil))
        try await write(.sessionCreated, AppActivity.bound, ago: 10, app: app, world)
        #expect(total(try await activity(of: app, world), .loginsSucceeded) <= AppActivity.bound)
        var (browser, _) = try await world.operatorBrowser(app: app, role: .read)
        #expect(
            try await browser.get(ConsoleWorld.app).text.contains("The app has many events, so the graphs begin at "))
    }

    @Test("A script gets the graphs only, and its requests do not keep the session alive")
    func live() async throws {
        let world = try await ConsoleWorld()
        try await write(.sessionCreated, 4, app: try #require(AppID("testapp")), world)
        var (browser, _) = try await world.operatorBrowser(app: AppID("testapp"))
        let page = try await browser.get(ConsoleWorld.app)
        #expect(page.text.contains("data-live-source=\"/console/apps/testapp?live=1\""))
        #expect(page.text.contains("<span>finished</span><strong>4</strong>") && page.text.contains("Active users"))
        world.clock.advance(by: .seconds(540))
        let part = try await browser.get(ConsoleWorld.app + "?live=1")
        #expect(part.status == 200 && part.cookie == nil)
        #expect(part.text.contains("<span>finished</span><strong>4</strong>") && !part.text.contains("Active users"))
        var (other, _) = try await world.operatorBrowser(
            app: try await world.service.apps.create(id: nil, name: "x").id)
        #expect(try await other.get(ConsoleWorld.app + "?live=1").status == 404)
    }
}
