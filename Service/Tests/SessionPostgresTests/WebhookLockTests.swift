internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("Calls that end the deliveries of one webhook at once", .timeLimit(.minutes(1)))
struct WebhookLockTests {
    /// The change of the URL, and what it repeats until all deliveries have ended.
    enum Call: CaseIterable {
        case replacement, end

        func perform(on webhook: Webhook, in world: ContractWorld) async throws {
            switch self {
            case .replacement:
                _ = try await world.store.perform(
                    ReplaceWebhook(
                        webhook.id, app: webhook.appID, url: "https://new.example.com/", events: webhook.events,
                        now: world.now))
            case .end: _ = try await world.store.perform(EndDeliveries(of: webhook.id, app: webhook.appID))
            }
        }
    }

    @Test("A call waits for the one before it, and locks no delivery meanwhile", arguments: Call.allCases)
    func waiting(_ call: Call) async throws {
        try await TwoNodes.run { nodes in
            let world = nodes.first
            try await world.addApp()
            let webhook = try await world.addWebhook()
            try await world.tell(.userCreated, .userCreated, .userCreated)
            if call == .end {
                var inactive = webhook
                inactive.status = .inactive
                try await world.write(.replaceWebhook(webhook, with: inactive))
            }
            let (before, third) = (try TestServer.connect(to: nodes.url), try TestServer.connect(to: nodes.url))
            _ = try before.run([.begin, Statement("SELECT 1 FROM webhooks FOR NO KEY UPDATE")])
            let ending = Task { try await call.perform(on: webhook, in: world) }
            try await nodes.untilBlocked(by: before.pid)
            // Otherwise both could wait for rows of the other.
            let free: Int = try third.one(
                "SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries FOR UPDATE SKIP LOCKED) AS free", [])
            #expect(free == 3)
            _ = try before.run([.rollback])
            try await ending.value
            #expect(try await world.deliveries(of: webhook).allSatisfy { $0.status == .failed })
        }
    }
}
