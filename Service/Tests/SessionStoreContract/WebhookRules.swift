internal import SessionDomain
internal import Testing

enum WebhookRules {
    static let all: [ContractRule] = [
        ContractRule("A webhook comes back as it was inserted, in its app only, and webhooks come oldest first") {
            world async throws in
            for app in [world.app, world.otherApp] { try await world.addApp(app) }
            let younger = world.newWebhook([.userCreated, .sessionRevoked], status: .inactive, at: world.now + 1)
            let older = world.newWebhook()
            for webhook in [younger, older] { #expect(try await world.store.perform(CreateWebhook(webhook))) }
            #expect(try await world.store.webhooks(app: world.app) == [older, younger])
            #expect(try await world.store.webhook(younger.id, app: world.app) == younger)
            #expect(try await world.store.webhook(younger.id, app: world.otherApp) == nil)
            #expect(try await world.store.webhooks(app: world.otherApp) == [])
        },
        ContractRule("An app has at most 10 webhooks, even if many are added concurrently") { world async throws in
            for app in [world.app, world.otherApp] { try await world.addApp(app) }
            let answers = try await concurrently(32) { _ in
                try await world.store.perform(CreateWebhook(world.newWebhook()))
            }
            #expect(answers.filter { $0 }.count == Webhook.maximumPerApp)
            let webhooks = try await world.store.webhooks(app: world.app)
            #expect(webhooks.count == 10)
            #expect(try await world.store.perform(CreateWebhook(world.newWebhook(app: world.otherApp))))
            #expect(try await world.store.perform(DeleteWebhook(webhooks[0].id, app: world.app)))
            #expect(try await world.store.perform(CreateWebhook(world.newWebhook())))
        },
        ContractRule("Url, events, status and time of change of a webhook are written, and nothing else") {
            world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook(status: .inactive)
            var changed = Webhook(
                id: webhook.id, appID: world.app, url: "https://other.example.com/", events: ["user.deleted"],
                status: .active, verificationToken: "other", createdAt: world.now + 9, updatedAt: world.now + 5)
            try await world.write(.replaceWebhook(webhook, with: changed))
            changed = webhook
            changed.url = "https://other.example.com/"
            changed.events = ["user.deleted"]
            changed.status = .active
            changed.updatedAt = world.now + 5
            #expect(try await world.store.webhook(webhook.id, app: world.app) == changed)
        },
        ContractRule("An unknown webhook, or another app's, is neither changed nor deleted") { world async throws in
            for app in [world.app, world.otherApp] { try await world.addApp(app) }
            let webhook = try await world.addWebhook()
            for (id, app) in [(webhook.id, world.otherApp), ("web_unknown", world.app)] {
                let replaced = try await world.store.perform(
                    ReplaceWebhook(id, app: app, url: "https://thief.example.com/", events: [], now: world.now))
                #expect(replaced == nil)
            }
            #expect(try await world.store.perform(DeleteWebhook(webhook.id, app: world.otherApp)) == false)
            #expect(try await world.store.perform(DeleteWebhook("web_unknown", app: world.app)) == false)
            #expect(try await world.store.webhooks(app: world.app) == [webhook])
        },
        ContractRule("A deleted webhook is deleted with its deliveries, and with no other's") { world async throws in
            try await world.addApp()
            let (gone, kept) = (try await world.addWebhook(), try await world.addWebhook())
            try await world.tell(.userCreated)
            #expect(try await world.store.perform(DeleteWebhook(gone.id, app: world.app)))
            #expect(try await world.store.webhooks(app: world.app) == [kept])
            #expect(try await world.deliveries(of: gone).isEmpty)
            #expect(try await world.claim(after: 1).map(\.delivery.webhookID) == [kept.id])
            // The event itself is the app's, not the webhook's.
            #expect(try await world.happened() == [.userCreated])
            #expect(try await world.store.perform(DeleteWebhook(gone.id, app: world.app)) == false)
        },
        ContractRule("Deliveries continue after that of an event, which the webhook must have") { world async throws in
            for app in [world.app, world.otherApp] { try await world.addApp(app) }
            let (webhook, other) = (try await world.addWebhook(), try await world.addWebhook([.userDeleted]))
            // In one transaction, so that their places in the order differ by a number only.
            let events = try await world.tell(.userCreated, .userCreated, .userDeleted, .userCreated)
            func page(after event: Event, limit: Int, of webhook: Webhook) async throws -> [Event]? {
                try await world.store.deliveries(
                    of: webhook.id, app: world.app, after: event.id, limit: limit)?.map(\.event)
            }
            #expect(try await page(after: events[3], limit: 1, of: webhook) == [events[1]])
            #expect(try await page(after: events[3], limit: 9, of: webhook) == [events[1], events[0]])
            #expect(try await page(after: events[0], limit: 9, of: webhook) == [])
            #expect(try await page(after: events[2], limit: 9, of: webhook) == nil)
            #expect(try await page(after: events[2], limit: 9, of: other) == [])
            let elsewhere = try await world.store.deliveries(
                of: webhook.id, app: world.otherApp, after: events[3].id, limit: 9)
            #expect(elsewhere == nil)
        },
    ]
}
