internal import SessionDomain
internal import SessionTokens
internal import Testing

enum EventRules {
    private static let day = 86_400

    static let all: [ContractRule] = [
        ContractRule("An event is read as it was written, with its context") { world async throws in
            let context = EventContext(
                actor: .init(.managementKey, id: "mk_1", name: "backend"), ip: "203.0.113.7",
                userAgent: "curl/8 \u{0}\"",
                device: Device(id: "d", model: "Pixel", type: "mobile", osVersion: "14", countryCode: "CH"),
                requestID: "req_1")
            let factory = EventFactory(appID: world.app, environment: world.environment, context: context)
            let event = factory.make(.userCreated, ["user_id": "usr_1", "list": .array([.int(1), .null])])
            try await world.store.perform(AppendEvents([event]))
            #expect(try await world.store.events(app: world.app, limit: 10, offset: 0) == [event])
            #expect(try await world.store.events(app: nil, after: 0, limit: 10).map(\.event) == [event])
        },
        ContractRule("Events of the service belong to no app") { world async throws in
            let event = EventFactory(appID: .service, environment: world.environment).make(.userCreated, [:])
            try await world.store.perform(AppendEvents([event]))
            #expect(try await world.store.events(app: world.app, limit: 10, offset: 0).isEmpty)
            #expect(try await world.store.events(app: .service, limit: 10, offset: 0) == [event])
        },
        ContractRule("Events are listed by user, actor, name, family and time, newest first, in every combination") {
            world async throws in
            let events = try await world.addEvents()
            let users = [nil, "usr_1", "usr_2", "usr_9"] as [String?]
            let names =
                [
                    nil, .exactly("login.failed"), .exactly("login"), .family("login"), .family("user"),
                    .family("absent"),
                ] as [EventQuery.NameFilter?]
            let actors = [nil, "mk_1", "usr_2", "mk_9"] as [String?]
            for user in users {
                for (name, actor) in names.flatMap({ name in actors.map { (name, $0) } }) {
                    for (from, until) in [(nil, nil), (2, nil), (nil, 5), (2, 5)] as [(Int?, Int?)] {
                        let query = EventQuery(
                            app: world.app, user: user, actor: actor, name: name, from: from.map { world.now + $0 },
                            until: until.map { world.now + $0 }, limit: 100)
                        let expected = Array(events.filter(query.matches).reversed())
                        #expect(try await world.store.events(query) == expected, "\(query)")
                    }
                }
            }
        },
        ContractRule("Pages follow each other without a gap, by offset and by the last event") { world async throws in
            let events = try await world.addEvents()
            let selections: [(name: EventQuery.NameFilter?, actor: String?)] = [
                (nil, nil), (.family("login"), nil), (.exactly("login.failed"), nil), (nil, "mk_1"),
                (.family("login"), "usr_2"),
            ]
            for (name, actor) in selections {
                var query = EventQuery(app: world.app, actor: actor, name: name, limit: 3)
                let all = Array(events.filter(query.matches).reversed())
                var (byOffset, byEvent): ([Event], [Event]) = ([], [])
                for page in 0..<5 {
                    query.offset = page * 3
                    byOffset += try await world.store.events(query) ?? []
                }
                query.offset = 0
                for _ in 0..<5 {
                    guard let page = try await world.store.events(query), let last = page.last else { break }
                    byEvent += page
                    query.before = last.id
                }
                #expect(byOffset == all)
                #expect(byEvent == all)
            }
        },
        ContractRule("A page after an unknown event, or one of another app, is no page") { world async throws in
            let other = try await world.tell(.userCreated, app: world.otherApp)[0]
            for id in [other.id, "evt_unknown"] {
                #expect(try await world.store.events(EventQuery(app: world.app, before: id, limit: 1)) == nil)
            }
        },
        ContractRule("Events are followed in the order in which they were committed, of one app or of all") {
            world async throws in
            #expect(try await world.store.lastEventSequence() == 0)
            let first = try await world.tell(.userCreated, .userDeleted)
            let mark = try await world.store.lastEventSequence()
            // The clock was set back: order is not time.
            let late = world.events(at: world.now - 100).make(.userCreated, [:])
            try await world.store.perform(AppendEvents([late]))
            let other = try await world.tell(.userCreated, app: world.otherApp)
            #expect(try await world.store.events(app: nil, after: 0, limit: 10).map(\.event) == first + [late] + other)
            let next = try await world.store.events(app: nil, after: mark, limit: 10)
            #expect(next.map(\.event) == [late] + other)
            #expect(next.last?.sequence == (try await world.store.lastEventSequence()))
            #expect(try await world.store.events(app: world.app, after: mark, limit: 10).map(\.event) == [late])
            #expect(try await world.store.events(app: nil, after: mark, limit: 1).map(\.event) == [late])
        },
        ContractRule("Events of one app are deleted up to a time and a limit, and those of other apps stay") {
            world async throws in
            try await world.tell(.userCreated, .userCreated, .userCreated)
            let other = try await world.tell(.userCreated, app: world.otherApp)
            func delete(_ limit: Int) async throws -> Int {
                try await world.store.deleteEvents(
                    of: world.app, until: world.now + 1, pendingUntil: world.now - 1, limit: limit)
            }
            #expect(try await delete(1) == 1)
            #expect(try await delete(10) == 1)
            #expect(try await delete(10) == 0)
            #expect(try await world.store.events(app: world.app, limit: 10, offset: 0).count == 1)
            #expect(try await world.store.events(app: world.otherApp, limit: 10, offset: 0) == other)
        },
        ContractRule("An event with a pending delivery is kept longer, and its delivery is not lost") {
            world async throws in
            try await world.addApp()
            let webhook = try await world.addWebhook()
            let events = try await world.tell(.userCreated, .userDeleted)
            let delivered = try await world.claim(after: 0).map(\.delivery)
            #expect(delivered.map(\.event) == [events[0]])
            func delete(pendingUntil: Int) async throws -> Int {
                try await world.store.deleteEvents(
                    of: world.app, until: world.now + 10, pendingUntil: world.now + pendingUntil, limit: 10)
            }
            // The second event has no delivery.
            #expect(try await delete(pendingUntil: -1) == 1)
            #expect(try await world.deliveries(of: webhook).map(\.event) == [events[0]])
            try await world.store.perform(
                RecordDeliveries(delivered.map { $0.tried(.answered(200), at: world.now) }))
            #expect(try await delete(pendingUntil: -1) == 1)
            let more = try await world.tell(.userCreated)
            #expect(try await world.deliveries(of: webhook).map(\.event) == more)
            #expect(try await delete(pendingUntil: 0) == 1)
            #expect(try await world.deliveries(of: webhook).isEmpty)
        },
    ]
}

extension ContractWorld {
    /// Twelve events of three names, two users and three actors, and one of another app. Two share each second. One operator
    /// has the id of a user of the app.
    fileprivate func addEvents() async throws -> [Event] {
        let names = ["login.failed", "login.limited", "user.created"].map { Event.Name(rawValue: $0) }
        let actors = [EventContext.Actor(.managementKey, id: "mk_1"), .init(.operator, id: "usr_2"), .init(.client)]
        var added: [Event] = []
        for index in 0..<12 {
            let data: [String: JSONValue] = index % 4 == 3 ? [:] : ["user_id": .string("usr_\(index % 2 + 1)")]
            let environment = environment(at: now + index / 2)
            let context = EventContext(actor: actors[index % 5 % 3])
            added.append(
                EventFactory(appID: app, environment: environment, context: context).make(names[index % 3], data))
        }
        let other = EventFactory(appID: otherApp, environment: environment, context: EventContext(actor: actors[0]))
        try await store.perform(AppendEvents(added + [other.make(.userCreated, [:])]))
        return added
    }
}
