import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Resending a delivery")
struct ResendDeliveryTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func delivery(_ status: WebhookDelivery.Status, dueIn seconds: Int = 0) -> WebhookDelivery {
        let event = Event(
            id: "evt_1", appID: .service, name: .userCreated, createdAt: now - 100, data: [:])
        return WebhookDelivery(
            webhookID: "web_1", event: event, status: status, attempts: 7, nextAttemptAt: now + seconds,
            lastStatus: 500, lastError: "the endpoint answered 500", deliveredAt: status == .delivered ? now : nil)
    }

    private func decide(_ delivery: WebhookDelivery) throws -> [Change] {
        let factory = EventFactory(appID: .service, environment: stillEnvironment)
        return try ResendDelivery(delivery, now: now, events: factory).decide(FoundRows()).changes
    }

    @Test(
        "A delivery that was delivered or has failed is due now, as if it were new", arguments: ["delivered", "failed"])
    func again(_ status: String) throws {
        let old = delivery(try #require(WebhookDelivery.Status(rawValue: status)))
        let changes = try decide(old)
        guard case .recordDelivery(let next, onlyIfPending: false) = changes.first,
            case .append(let event) = changes.last
        else {
            Issue.record("\(changes)")
            return
        }
        #expect(next.status == .pending && next.attempts == 0 && next.nextAttemptAt == now)
        #expect(next.deliveredAt == nil && next.lastStatus == 500)
        #expect(event.name == .webhookResent)
        #expect(event.data == ["webhook_id": "web_1", "event_id": "evt_1"])
    }

    @Test("A delivery that waits for its next attempt is due now, and keeps the number of its attempts")
    func waiting() throws {
        guard case .recordDelivery(let next, onlyIfPending: false) = try decide(delivery(.pending, dueIn: 61)).first
        else {
            Issue.record("nothing is recorded")
            return
        }
        #expect(next.attempts == 7 && next.nextAttemptAt == now)
    }

    @Test("A delivery that the worker may have now is refused", arguments: [-5, 0, 60])
    func leased(_ seconds: Int) {
        #expect(throws: Refusal.conflict("the event is being sent, or will be within a minute")) {
            try decide(delivery(.pending, dueIn: seconds))
        }
    }
}
