import Foundation
import SessionRSA
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Delivering the outbox")
struct WebhookWorkerTests {
    private func due(_ count: Int, for webhook: String = "a") throws -> [WebhookDelivery] {
        try (0..<count).map { index in
            let event = Event(
                id: "evt_\(webhook)\(index)", appID: try appID(), name: .userCreated, createdAt: now - 5,
                data: ["user_id": .string("usr_\(index)")])
            return WebhookDelivery(webhookID: webhook, event: event, nextAttemptAt: now)
        }
    }

    private func deliver(_ outbox: PlayedDeliveries, _ egress: FakeEgress) async throws {
        let store = KeyStore(
            apps: [App(id: try appID(), name: "test", createdAt: now)],
            keys: try TestApp.signingKeys.get() + [try TestApp.hookKey.get()])
        let directory = AppDirectory(
            store: store, keys: TestApp.keys, origins: try PublicOrigins(publicURL: "https://session.example.com"),
            defaultApp: nil, keyRotation: TestApp.keyRotation, environment: stillEnvironment)
        let keys = HookKeys(store: store, keys: TestApp.keys, directory: directory, environment: stillEnvironment)
        try await OutboxWorker(
            WebhookOutbox(
                store: outbox, directory: directory,
                call: HookCall(egress: egress, keys: keys, environment: stillEnvironment),
                environment: stillEnvironment), environment: stillEnvironment
        ).deliverDue()
    }

    private func eventIDs(_ request: EgressRequest) throws -> [String] {
        guard
            case .array(let events) = try TokenJSON.decode([String: JSONValue].self, from: request.body)["events"]
        else { return [] }
        return events.compactMap { if case .object(let event) = $0 { event["id"]?.stringValue } else { nil } }
    }

    @Test("Events are posted in one signed request with ten seconds for the answer, and status 200 delivers them")
    func delivered() async throws {
        let (outbox, egress) = (PlayedDeliveries(try due(2)), FakeEgress(always: .answer("")))
        try await deliver(outbox, egress)
        #expect(egress.requests.count == 1)
        let request = try #require(egress.requests.first)
        #expect(request.method == .post)
        #expect(request.url == "https://a.example.com/")
        #expect(request.timeout == 10)
        #expect(request.header("User-Agent") == "Prelude-SessionWebhook/1.0")
        let event: @Sendable (Int) -> JSONValue = { index in
            .object([
                "id": .string("evt_a\(index)"), "name": "user.created", "created_at": .string((now - 5).rfc3339),
                "data": .object(["user_id": .string("usr_\(index)")]),
            ])
        }
        let body: JSONValue = .object(["app_id": "domain1", "events": .array([event(0), event(1)])])
        #expect(try TokenJSON.decode(JSONValue.self, from: request.body) == body)

        let key = try TestApp.keys.openHookKey(try TestApp.hookKey.get())
        let header = try #require(request.header("X-Webhook-Signature"))
        let prefix = "rsassa-pss-sha256="
        #expect(header.hasPrefix(prefix))
        let signature = try #require(Base64URL.decode(header.dropFirst(prefix.count)))
        #expect(key.publicKey.isValidPSS(signature, for: request.body))
        #expect(request.header("X-Webhook-Signature-Key-Id") == key.keyID)

        #expect(outbox.recorded.map(\.status) == [.delivered, .delivered])
        #expect(outbox.recorded.map(\.event.id) == ["evt_a0", "evt_a1"])
    }

    @Test("A request has at most 100 events, in their order, and its timeout is shorter than the lease")
    func batches() async throws {
        let (outbox, egress) = (PlayedDeliveries(try due(201)), FakeEgress(always: .answer("")))
        try await deliver(outbox, egress)
        #expect(try egress.requests.map(eventIDs).map(\.count) == [100, 100, 1])
        #expect(try egress.requests.flatMap(eventIDs) == (0..<201).map { "evt_a\($0)" })
        #expect(try #require(outbox.lease) > Int64(WebhookOutbox.timeout))
    }

    @Test("A failing endpoint gets no second request at once, and other endpoints get theirs")
    func trouble() async throws {
        let outbox = PlayedDeliveries(try due(150) + due(3, for: "b"))
        let egress = FakeEgress { request, _ in
            request.url.contains("//a.") ? .answer("", status: 503) : .answer("")
        }
        try await deliver(outbox, egress)
        #expect(egress.requests.map(\.url).sorted() == ["https://a.example.com/", "https://b.example.com/"])
        let troubled = outbox.recorded.filter { $0.webhookID == "a" }
        #expect(troubled.count == 100)
        #expect(troubled.allSatisfy { $0.status == .pending && $0.lastStatus == 503 && $0.nextAttemptAt == now + 60 })
        #expect(outbox.recorded.filter { $0.webhookID == "b" }.map(\.status) == Array(repeating: .delivered, count: 3))
    }

    @Test(
        "A delivery without an answer has the reason in the log",
        arguments: [
            (EgressError.timedOut, "no answer in time"), (.answerTooLarge, "the answer is too large"),
            (.refusedAddress("10.0.0.1 is private"), "the address is refused: it is private or otherwise special"),
        ])
    func unreachable(error: EgressError, reason: String) async throws {
        let outbox = PlayedDeliveries(try due(1))
        try await deliver(outbox, FakeEgress(always: .failure(error)))
        #expect(outbox.recorded.map(\.lastError) == [reason])
        #expect(outbox.recorded.map(\.attempts) == [1])
    }

    @Test("Nothing is sent when nothing is due")
    func nothing() async throws {
        let (outbox, egress) = (PlayedDeliveries([]), FakeEgress.unreachable)
        try await deliver(outbox, egress)
        #expect(egress.requests.isEmpty)
    }
}
