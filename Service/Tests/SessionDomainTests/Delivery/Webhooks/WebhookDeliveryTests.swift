import Testing

@testable import SessionDomain

@Suite("Attempts to deliver")
struct WebhookDeliveryTests {
    private func delivery(attempts: Int = 0, age: Int = 0, lastError: String? = nil) throws -> WebhookDelivery {
        let event = Event(id: "evt_1", appID: try appID(), name: .userCreated, createdAt: now - age, data: [:])
        return WebhookDelivery(
            webhookID: "web_1", event: event, attempts: attempts, nextAttemptAt: now, lastError: lastError)
    }

    @Test("Status 200 delivers and clears the last error")
    func delivered() throws {
        var expected = try delivery(attempts: 3, lastError: "no answer in time")
        let tried = expected.tried(.answered(200), at: now + 5)
        expected.attempts = 4
        expected.status = .delivered
        expected.deliveredAt = now + 5
        expected.lastStatus = 200
        expected.lastError = nil
        #expect(tried == expected)
    }

    @Test("Any other status is no acknowledgement", arguments: [100, 201, 204, 299, 301, 302, 400, 404, 410, 429, 500])
    func answered(status: Int) throws {
        var expected = try delivery()
        let tried = expected.tried(.answered(status), at: now)
        expected.attempts = 1
        expected.lastStatus = status
        expected.lastError = "the endpoint answered \(status)"
        expected.nextAttemptAt = now + 60
        #expect(tried == expected)
    }

    @Test("A delivery without an answer has a reason and no status")
    func unreachable() throws {
        let tried = try delivery().tried(.answered(500), at: now).tried(.unreachable("no answer in time"), at: now)
        #expect(tried.lastStatus == nil)
        #expect(tried.lastError == "no answer in time")
        #expect(tried.attempts == 2)
        #expect(tried.status == .pending)
    }

    @Test(
        "The wait doubles from a minute up to twelve hours",
        arguments: [
            (0, 1), (1, 2), (2, 4), (3, 8), (4, 16), (5, 32), (6, 64), (7, 128), (8, 256), (9, 512), (10, 720),
            (11, 720), (100, 720), (Int(Int32.max), 720),
        ])
    func backOff(attempts: Int, minutes: Int) throws {
        let tried = try delivery(attempts: attempts).tried(.answered(500), at: now)
        #expect(tried.nextAttemptAt == now + minutes * 60)
    }

    @Test("A delivery fails when the next attempt would be later than two weeks after the event")
    func givenUp() throws {
        let last = WebhookDelivery.maximumAge - 60
        #expect(WebhookDelivery.maximumAge == 14 * 86_400)
        #expect(try delivery(age: last).tried(.answered(500), at: now).status == .pending)
        #expect(try delivery(age: last + 1).tried(.answered(500), at: now).status == .failed)
        #expect(try delivery(age: last + 1).tried(.unreachable("no"), at: now).status == .failed)
        #expect(try delivery(age: 2 * last).tried(.answered(200), at: now).status == .delivered)
    }

    @Test("An endpoint that is down gets 37 attempts in two weeks")
    func tries() throws {
        var delivery = try delivery()
        while delivery.status == .pending { delivery = delivery.tried(.answered(503), at: delivery.nextAttemptAt) }
        #expect(delivery.status == .failed)
        #expect(delivery.attempts == 37)
    }
}
