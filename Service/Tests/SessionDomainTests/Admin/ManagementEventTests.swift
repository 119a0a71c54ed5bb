import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Events of changes by operators")
struct ManagementEventTests {
    private func events(_ changes: [Change]) -> [Event] {
        changes.compactMap { if case .append(let event) = $0 { event } else { nil } }
    }

    private func webhook(url: String = "https://example.com/s3cr3t") throws -> Webhook {
        Webhook(
            id: "web_1", appID: try appID(), url: url, events: ["user.created"], status: .active,
            verificationToken: "s3cr3t", createdAt: now, updatedAt: now)
    }

    @Test("A change of settings is reported with what differs, in the same transaction")
    func settings() throws {
        let app = App(id: try appID(), name: "a", createdAt: now)
        let decision = try UpdateApp(app.id, events: try TestApp.events()) { $0.signUp = false }
            .decide(FoundRows { $0.settings = app })
        let event = try #require(events(decision.changes).first)
        #expect(event.name == .appUpdated)
        #expect(
            event.data == [
                "changes": .object(["sign_up": .object(["before": .bool(true), "after": .bool(false)])])
            ])
    }

    @Test("A change that changes nothing has no event")
    func unchanged() throws {
        let app = App(id: try appID(), name: "a", createdAt: now)
        let update = UpdateApp(app.id, events: try TestApp.events()) { $0.signUp = true }
        #expect(events(try update.decide(FoundRows { $0.settings = app }).changes).isEmpty)
        let stored = try webhook()
        let replace = ReplaceWebhook(
            stored.id, app: stored.appID, url: stored.url, events: stored.events, now: now, audit: try TestApp.events())
        #expect(events(replace.decide(FoundRows { $0.webhook = stored }).changes).isEmpty)
    }

    @Test("Changes of webhooks are reported without url paths and verification tokens")
    func webhooks() throws {
        let (stored, factory) = (try webhook(), try TestApp.events())
        let facts = FoundRows { $0.webhook = stored }
        let shown: [String: JSONValue] = ["url": "https://example.com/…", "events": .array(["user.created"])]
        let whole = shown.merging(["webhook_id": "web_1"]) { first, _ in first }
        let created = events(CreateWebhook(stored, events: factory).decide(FoundRows()).changes)
        #expect(created.map(\.name) == [.webhookCreated] && created[0].data == whole)
        let deleted = events(DeleteWebhook("web_1", app: stored.appID, events: factory).decide(facts).changes)
        #expect(deleted.map(\.name) == [.webhookDeleted] && deleted[0].data == whole)
        let activate = ActivateWebhook("web_1", app: stored.appID, url: stored.url, now: now, events: factory)
        #expect(events(activate.decide(facts).changes).map(\.name) == [.webhookActivated])
        let replace = ReplaceWebhook(
            "web_1", app: stored.appID, url: "https://example.org", events: stored.events, now: now, audit: factory)
        let replaced = events(replace.decide(facts).changes)
        #expect(replaced.map(\.name) == [.webhookUpdated])
        #expect(
            replaced[0].data == [
                "webhook_id": "web_1", "before": .object(shown),
                "after": .object(["url": "https://example.org", "events": .array(["user.created"])]),
            ])
    }

    @Test("A key for one app is reported in that app, and a key for all apps in the service", arguments: [true, false])
    func keys(isForOneApp: Bool) throws {
        let app = isForOneApp ? try appID("another") : nil
        let key = ManagementKey(id: "mk_1", name: "backend", appID: app, hash: "hash", createdAt: now)
        let factory = EventFactory(appID: .service, environment: stillEnvironment)
        let reported = [
            events(try InsertManagementKey(key, events: factory).decide(FoundRows()).changes),
            events(
                RevokeManagementKey(id: "mk_1", events: factory).decide(FoundRows { $0.managementKeys = [key] }).changes
            ),
        ]
        #expect(reported.map { $0.map(\.name) } == [[.managementKeyCreated], [.managementKeyRevoked]])
        for event in reported.joined() {
            #expect(event.appID == app ?? .service)
            #expect(event.data["key_id"] == "mk_1" && event.data["name"] == "backend")
            #expect(!event.data.values.contains("hash"))
        }
    }

    @Test("No text is read as the id that stands for the service")
    func serviceID() {
        #expect(AppID(AppID.service.rawValue) == nil)
    }
}
