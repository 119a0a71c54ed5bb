internal import SessionDomain
internal import Testing

enum OutboxRules {
    static let all: [ContractRule] = [
        ContractRule("An event has a delivery for each active webhook of its app that wants it, and for no other") {
            world async throws in
            for app in [world.app, world.otherApp] { try await world.addApp(app) }
            let wanting = [try await world.addWebhook(), try await world.addWebhook([.userDeleted, .userCreated])]
            let others = [
                try await world.addWebhook(status: .inactive), try await world.addWebhook([.identifierCreated]),
                try await world.addWebhook([]), try await world.addWebhook(app: world.otherApp),
                // A name that only starts or ends with the wanted name is another name.
                try await world.addWebhook([.init(rawValue: "user.created.not"), .init(rawValue: "a.user.created")]),
            ]
            let event = try await world.tell(.userCreated)[0]
            let expected = WebhookDelivery(webhookID: wanting[0].id, event: event, nextAttemptAt: world.now)
            #expect(try await world.deliveries(of: wanting[0]) == [expected])
            #expect(try await world.deliveries(of: wanting[1]).map(\.event) == [event])
            for webhook in others { #expect(try await world.deliveries(of: webhook).isEmpty) }
        },
        ContractRule("An event and its deliveries are written in the transaction of their cause, or not at all") {
            world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook([.userCreated, .sessionCreated])
            let (ada, taken) = (try newUser("usr_1", world), try newUser("usr_2", world))
            let event = world.events().userCreated(ada)
            #expect(try await world.store.perform(CreateUser(ada, passwordHash: nil, events: [event])) == .created)
            let refused = try await world.store.perform(
                CreateUser(
                    taken, passwordHash: nil, events: [world.events().userCreated(taken)]))
            #expect(refused == .identifierTaken(0))
            #expect(try await world.deliveries(of: webhook).map(\.event) == [event])
            _ = try await world.signIn(ada)
            #expect(try await world.deliveries(of: webhook).map(\.event.name) == [.sessionCreated, .userCreated])
        },
        ContractRule("A webhook receives the events after its activation") { world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook(status: .inactive)
            try await world.tell(.userCreated)
            _ = try await world.store.perform(
                ActivateWebhook(webhook.id, app: world.app, url: webhook.url, now: world.now))
            let event = try await world.tell(.userCreated)[0]
            #expect(try await world.deliveries(of: webhook).map(\.event) == [event])
        },
        ContractRule("Deliveries are listed newest first, page by page, in their app only") { world async throws in
            for app in [world.app, world.otherApp] { try await world.addApp(app) }
            let webhook = try await world.addWebhook()
            let events = try await world.tell(.userCreated, .userCreated, .userCreated)
            func page(_ limit: Int, _ offset: Int, _ app: AppID) async throws -> [Event] {
                try await world.store.deliveries(of: webhook.id, app: app, limit: limit, offset: offset).map(\.event)
            }
            #expect(try await page(2, 0, world.app) == [events[2], events[1]])
            #expect(try await page(2, 2, world.app) == [events[0]])
            #expect(try await page(2, 0, world.otherApp) == [])
        },
        ContractRule("Due deliveries are claimed oldest first, with the url, up to the limit") {
            world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook()
            let events = try await world.tell(.userCreated, .userCreated, .userCreated)
            let first = try await world.claim(after: 1, limit: 1)
            #expect(first.map(\.delivery.event) == [events[0]])
            #expect(first.map(\.url) == [webhook.url])
            #expect(first.map(\.delivery.attempts) == [0])
            // The third delivery is not due before its event.
            #expect(try await world.claim(after: 1).map(\.delivery.event) == [events[1]])
            #expect(try await world.claim(after: 2).map(\.delivery.event) == [events[2]])
        },
        ContractRule("A claimed delivery is not claimed again until its lease ends") {
            world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook()
            try await world.tell(.userCreated)
            #expect(try await world.claim(after: 0, lease: 60).count == 1)
            #expect(try await world.claim(after: 59).isEmpty)
            let stored = try await world.deliveries(of: webhook)
            #expect(stored.map(\.status) == [.pending])
            #expect(stored.map(\.attempts) == [0])
            #expect(try await world.claim(after: 60).count == 1)
        },
        ContractRule("Of 16 workers that claim concurrently, each delivery goes to one (R17)") { world async throws in
            try await world.addApp()
            _ = [try await world.addWebhook(), try await world.addWebhook()]
            for _ in 0..<20 { try await world.tell(.userCreated) }
            let claims = try await concurrently(16) { _ in try await world.claim(after: 1, limit: 7) }
            let all = claims.flatMap { $0 }.map { $0.delivery.webhookID + "/" + $0.delivery.event.id }
            #expect(all.count == 40)
            #expect(Set(all).count == 40)
            #expect(claims.allSatisfy { $0.count <= 2 * 7 })
        },
        ContractRule("The result of a delivery is stored, and a delivered or failed one is not claimed again") {
            world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook()
            try await world.tell(.userCreated, .userCreated, .userCreated)
            var tried = try await world.claim(after: 2).map(\.delivery)
            tried[0] = tried[0].tried(.answered(200), at: world.now + 3)
            tried[1] = tried[1].tried(.answered(500), at: world.now + 3)
            tried[2] = tried[2].tried(.unreachable("no answer in time"), at: world.now + WebhookDelivery.maximumAge)
            #expect(tried.map(\.status) == [.delivered, .pending, .failed])
            try await world.store.perform(RecordDeliveries(tried))
            #expect(try await world.deliveries(of: webhook) == tried.reversed())
            #expect(try await world.claim(after: 62).isEmpty)
            let later = try await world.claim(after: 63).map(\.delivery)
            #expect(later == [tried[1]])
            try await world.store.perform(RecordDeliveries(later.map { $0.tried(.answered(200), at: world.now + 64) }))
            #expect(try await world.claim(after: WebhookDelivery.maximumAge + 86_400) == [])
        },
        ContractRule("A webhook that becomes inactive fails its pending deliveries, with the reason") {
            world async throws in
            try await world.addApp()
            let active = try await world.addWebhook()
            try await world.tell(.userCreated)
            let moved = try #require(
                try await world.store.perform(
                    ReplaceWebhook(
                        active.id, app: world.app, url: "https://new.example.com/", events: active.events,
                        now: world.now)))
            #expect(moved.status == .inactive)
            #expect(try await world.claim(after: 10).isEmpty)
            let log = try await world.deliveries(of: moved)
            #expect(log.map(\.status) == [.failed])
            #expect(log.map(\.lastError) == ["the webhook was changed"])
        },
        ContractRule("Many pending deliveries of an inactive webhook fail in several transactions, and no others") {
            world async throws in
            try await world.addApp()
            let (webhook, other) = (try await world.addWebhook(), try await world.addWebhook())
            try await world.tell(.userCreated, .userCreated, .userCreated, .userCreated, .userCreated)
            let end = EndDeliveries(of: webhook.id, app: world.app, limit: 2)
            #expect(try await world.store.perform(end) == false, "the webhook is active")
            var moved = webhook
            (moved.url, moved.status) = ("https://new.example.com/", .inactive)
            try await world.write(.replaceWebhook(webhook, with: moved))
            for left in [3, 1, 0] {
                #expect(try await world.store.perform(end))
                #expect(try await world.deliveries(of: webhook).count { $0.status == .pending } == left)
            }
            #expect(try await world.store.perform(end) == false)
            let log = try await world.deliveries(of: webhook)
            #expect(log.map(\.lastError) == Array(repeating: "the webhook was changed", count: 5))
            _ = try await world.store.perform(
                ActivateWebhook(webhook.id, app: world.app, url: moved.url, now: world.now))
            let claimed = try await world.claim(after: 5)
            #expect(claimed.count == 5 && claimed.allSatisfy { $0.delivery.webhookID == other.id })
        },
        ContractRule("A webhook is emptied in several transactions, and no other one") { world async throws in
            try await world.addApp()
            let (webhook, other) = (try await world.addWebhook(), try await world.addWebhook())
            try await world.tell(.userCreated, .userCreated, .userCreated, .userCreated, .userCreated)
            for left in [3, 1, 0, 0] {
                let before = try await world.deliveries(of: webhook).count
                #expect(try await world.store.hasDeliveries(of: webhook.id, app: world.app, moreThan: before) == false)
                let less = max(before - 1, 0)
                #expect(
                    try await world.store.hasDeliveries(of: webhook.id, app: world.app, moreThan: less) == (before > 0))
                let intent = EmptyWebhook(webhook.id, app: world.app, now: world.now, limit: 2)
                #expect(try await world.store.perform(intent))
                #expect(try await world.deliveries(of: webhook).count == left)
            }
            try await world.tell(.userCreated)
            #expect(try await world.deliveries(of: webhook).isEmpty, "it is inactive")
            #expect(try await world.deliveries(of: other).count == 6)
        },
        ContractRule("No delivery is claimed for a former url of a webhook") { world async throws in
            try await world.addApp()
            let before = try await world.addWebhook()
            var moved = before
            moved.url = "https://new.example.com/"
            try await world.write(.replaceWebhook(before, with: moved))
            try await world.tell(.userCreated)
            let stale = try await world.store.perform(
                ClaimDeliveries(
                    of: before, now: world.now, leaseEnd: world.now + 60, limit: 10))
            #expect(stale.isEmpty)
            #expect(try await world.claim(after: 0).map(\.url) == [moved.url])
        },
        ContractRule("A webhook is activated at the url that confirmed it, and at no other") { world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook(status: .inactive)
            let store = world.store
            let elsewhere = try await store.perform(
                ActivateWebhook(
                    webhook.id, app: world.app, url: "https://old.example.com/", now: world.now))
            #expect(elsewhere == nil)
            #expect(try await store.webhook(webhook.id, app: world.app)?.status == .inactive)
            let asked = try await store.perform(
                ActivateWebhook(
                    webhook.id, app: world.app, url: webhook.url, now: world.now + 1))
            #expect(asked?.status == .active)
            #expect(try await store.webhook(webhook.id, app: world.app)?.status == .active)
        },
        ContractRule("Only active webhooks with a due delivery are listed as due") { world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook()
            _ = try await world.addWebhook([.userDeleted])
            _ = try await world.addWebhook(status: .inactive)
            #expect(try await world.store.dueWebhooks(now: world.now).isEmpty)
            try await world.tell(.userCreated)
            #expect(try await world.store.dueWebhooks(now: world.now) == [webhook])
            #expect(try await world.store.dueWebhooks(now: world.now - 1).isEmpty)
        },
        ContractRule("The result of a delivery does not restore a deleted webhook") { world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook()
            try await world.tell(.userCreated)
            let claimed = try await world.claim(after: 0).map(\.delivery)
            _ = try await world.store.perform(DeleteWebhook(webhook.id, app: world.app))
            try await world.store.perform(RecordDeliveries(claimed.map { $0.tried(.answered(500), at: world.now) }))
            #expect(try await world.deliveries(of: webhook).isEmpty)
            #expect(try await world.claim(after: 3600).isEmpty)
        },
        ContractRule("A failure that arrives after the webhook was changed does not make its delivery pending again") {
            world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook()
            try await world.tell(.userCreated, .userCreated)
            let claimed = try await world.claim(after: 1).map(\.delivery)
            let moved = try await world.store.perform(
                ReplaceWebhook(
                    webhook.id, app: world.app, url: "https://new.example.com/", events: webhook.events, now: world.now)
            )
            let ended = try await world.deliveries(of: webhook)
            #expect(ended.map(\.status) == [.failed, .failed])
            _ = try await world.store.perform(
                ActivateWebhook(webhook.id, app: world.app, url: try #require(moved).url, now: world.now + 1))
            let results: [DeliveryResult] = [.answered(500), .unreachable("no answer in time")]
            let tried = zip(claimed, results).map { $0.tried($1, at: world.now + 2) }
            try await world.store.perform(RecordDeliveries(tried))
            #expect(try await world.deliveries(of: webhook) == ended)
            #expect(try await world.claim(after: 3600).isEmpty)
            // An event that arrived is no loss, and the log says so.
            try await world.store.perform(RecordDeliveries([claimed[0].tried(.answered(200), at: world.now + 2)]))
            #expect(Set(try await world.deliveries(of: webhook).map(\.status)) == [.delivered, .failed])
        },
        ContractRule("Deliveries are deleted with their event, after 30 days") { world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook()
            try await world.tell(.userCreated, .userCreated)
            #expect(try await world.deleteExpired(now: world.now + 30 * 86_400, limit: 100) == 1)
            #expect(try await world.deliveries(of: webhook).count == 1)
        },
    ]

    private static func newUser(_ id: String, _ world: ContractWorld) throws -> User {
        User(id: id, appID: world.app, identifiers: [try world.mail("ada@example.com")], createdAt: world.now)
    }
}
