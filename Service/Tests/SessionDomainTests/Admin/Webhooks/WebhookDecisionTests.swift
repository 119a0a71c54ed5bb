import SessionDomain
import Testing

@Suite("What changes of webhooks write")
struct WebhookDecisionTests {
    private func webhook(_ url: String = "https://a.example.com/", status: Webhook.Status = .active) throws -> Webhook {
        Webhook(
            id: "web_1", appID: try appID(), url: url, events: ["user.created"], status: status,
            verificationToken: "verify", createdAt: now - 9, updatedAt: now - 9)
    }

    @Test("An app has at most 10 webhooks", arguments: [(0, true), (9, true), (10, false)])
    func maximum(count: Int, isAllowed: Bool) throws {
        let webhook = try webhook()
        let decision = CreateWebhook(webhook).decide(FoundRows { $0.webhookCount = count })
        #expect(decision == Decision(isAllowed, isAllowed ? [.insertWebhook(webhook, expectedCount: count)] : []))
    }

    private func replace(_ webhook: Webhook?, url: String) throws -> Decision<Webhook?> {
        ReplaceWebhook("web_1", app: try appID(), url: url, events: ["user.deleted"], now: now)
            .decide(FoundRows { $0.webhook = webhook })
    }

    @Test("Another url makes a webhook inactive and fails what is pending; the same url does not")
    func replaced() throws {
        let old = try webhook()
        var next = old
        next.events = ["user.deleted"]
        next.updatedAt = now
        #expect(try replace(old, url: old.url) == Decision(next, [.replaceWebhook(old, with: next)]))
        next.url = "https://b.example.com/"
        next.status = .inactive
        #expect(
            try replace(old, url: next.url)
                == Decision(
                    next,
                    [
                        .failPendingDeliveries(of: old, error: "the webhook was changed", limit: 2000),
                        .replaceWebhook(old, with: next),
                    ]))
        #expect(try replace(nil, url: old.url) == Decision(nil))
    }

    @Test("A webhook is activated at the url that answered, and at no other")
    func activated() throws {
        let old = try webhook(status: .inactive)
        var next = old
        next.status = .active
        next.updatedAt = now
        func activate(_ stored: Webhook?) throws -> Decision<Webhook?> {
            ActivateWebhook("web_1", app: try appID(), url: old.url, now: now).decide(FoundRows { $0.webhook = stored })
        }
        #expect(try activate(old) == Decision(next, [.replaceWebhook(old, with: next)]))
        #expect(try activate(try webhook("https://b.example.com/", status: .inactive)) == Decision(nil))
        #expect(try activate(nil) == Decision(nil))
    }

    @Test("What is pending for an inactive webhook is ended, a limited number at a time, and nothing else")
    func ended() throws {
        let event = try TestApp.events().make(.userCreated, [:])
        let pending = [WebhookDelivery(webhookID: "web_1", event: event, nextAttemptAt: now)]
        func end(_ stored: Webhook?, _ pending: [WebhookDelivery]) throws -> Decision<Bool> {
            EndDeliveries(of: "web_1", app: try appID(), limit: 5).decide(
                FoundRows { facts in
                    facts.webhook = stored
                    facts.dueDeliveries = pending
                })
        }
        let inactive = try webhook(status: .inactive)
        let change = Change.failPendingDeliveries(of: inactive, error: "the webhook was changed", limit: 5)
        #expect(try end(inactive, pending) == Decision(true, [change]))
        #expect(try end(inactive, []) == Decision(false))
        #expect(try end(try webhook(), pending) == Decision(false))
        #expect(try end(nil, pending) == Decision(false))
    }

    @Test("A webhook that is emptied for its deletion gets no further deliveries")
    func emptied() throws {
        let intent = EmptyWebhook("web_1", app: try appID(), now: now, limit: 5)
        let old = try webhook()
        var stopped = old
        (stopped.status, stopped.updatedAt) = (.inactive, now)
        let deletion = Change.deleteDeliveries(of: old, limit: 5)
        #expect(
            intent.decide(FoundRows { $0.webhook = old })
                == Decision(true, [.replaceWebhook(old, with: stopped), deletion]))
        #expect(
            intent.decide(FoundRows { $0.webhook = stopped })
                == Decision(true, [.deleteDeliveries(of: stopped, limit: 5)]))
        #expect(intent.decide(FoundRows()) == Decision(false))
    }

    @Test("An unknown webhook is not deleted")
    func deleted() throws {
        let (intent, webhook) = (DeleteWebhook("web_1", app: try appID()), try webhook())
        #expect(intent.decide(FoundRows { $0.webhook = webhook }) == Decision(true, [.deleteWebhook(webhook)]))
        #expect(intent.decide(FoundRows()) == Decision(false))
    }

    @Test("Due deliveries are leased, if the webhook is still active at the same url")
    func claimed() throws {
        let webhook = try webhook()
        let event = try TestApp.events().make(.userCreated, [:])
        let due = [WebhookDelivery(webhookID: "web_1", event: event, nextAttemptAt: now)]
        func claim(_ stored: Webhook?) -> Decision<[WebhookDelivery]> {
            ClaimDeliveries(of: webhook, now: now, leaseEnd: now + 60, limit: 10).decide(
                FoundRows { facts in
                    facts.webhook = stored
                    facts.dueDeliveries = due
                })
        }
        #expect(claim(webhook) == Decision(due, [.leaseDelivery(due[0], until: now + 60)]))
        #expect(claim(try self.webhook(status: .inactive)) == Decision([]))
        #expect(claim(try self.webhook("https://b.example.com/")) == Decision([]))
        #expect(claim(nil) == Decision([]))
        let (delivered, failed) = (due[0].tried(.answered(200), at: now), due[0].tried(.answered(500), at: now))
        #expect(
            RecordDeliveries([delivered, failed]).decide(FoundRows()).changes == [
                .recordDelivery(delivered, onlyIfPending: false), .recordDelivery(failed, onlyIfPending: true),
            ])
    }
}
