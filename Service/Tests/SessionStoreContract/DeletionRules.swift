internal import SessionDomain
internal import SessionTokens
internal import Testing

/// What a deleted user leaves.
enum DeletionRules {
    static let all: [ContractRule] = [
        // Proves: B10
        ContractRule("A deleted user is in no counter, message, verification or event, and other users' stay") {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let old = try CanonicalIdentifier(type: "email_address", value: "old@example.com")
            let limit = RateLimit(limit: 9, window: 3600)
            func keys(_ user: User) -> [CounterKey] {
                [
                    .starts(.anonymous(user.identifiers[0])), .failures(.device(id: "d", userID: user.id), .day),
                    .sends(.session(id: "s", userID: user.id), .hour), .notices(userID: user.id, .newDevice),
                ]
            }
            for user in [ada, bob] {
                for key in keys(user) {
                    try await world.write(.count(key, app: world.app, limit: limit, now: world.now))
                }
            }
            try await world.begin(ada.identifiers[0], token: "token")
            for (id, user) in [("removed", ada), ("other", bob)] {
                let content = MessageContent(purpose: .notice, code: nil, userID: user.id)
                try await world.queue(id, to: old, content: content)
            }
            let client = EventContext(actor: .init(.client), ip: "192.0.2.7", userAgent: "Phone/1")
            let operatorContext = EventContext(actor: .init(.managementKey, id: "mk_1"), ip: "198.51.100.1")
            for (user, context) in [(ada, client), (ada, operatorContext), (bob, client)] {
                let events = EventFactory(appID: world.app, environment: world.environment, context: context)
                try await world.write(.append(events.identifierCreated(user.identifiers[0], of: user.id)))
            }
            _ = try await world.addApp()
            try await world.write(.insertWebhook(world.newWebhook(), expectedCount: 0))
            try await world.write(.append(world.events().userCreated(ada)))
            let event = world.events().make(.userDeleted, ["user_id": .string(ada.id)])
            let deletion = DeleteUser(ada.id, app: world.app, events: [event], pseudonym: "del_1")
            #expect(try await world.store.perform(deletion))

            for (user, count) in [(ada, 0), (bob, 4)] {
                let counters = try await world.store.counters(keys(user), ofUser: user.id, app: world.app)
                #expect(Set(counters.map(\.key)).count == count)
            }
            #expect(try await world.message("removed") == nil)
            #expect(try await world.message("other") != nil)
            let verification = try #require(try await world.store.verification(tokenHash: "token", app: world.app))
            #expect(verification.isSuppressed && verification.identifier.type == .emailAddress)
            #expect(verification.identifier.value == "deleted@token")
            let kept = try await world.store.events(EventQuery(app: world.app, user: "del_1", limit: 9)) ?? []
            #expect(kept.count == 3 && kept.allSatisfy { $0.data == ["user_id": "del_1"] })
            #expect(Set(kept.map(\.context.ip)) == [nil, "198.51.100.1"])
            #expect(kept.filter { $0.context.actor?.type == .client }.allSatisfy { $0.context.userAgent == nil })
            let named = try await world.store.events(EventQuery(app: world.app, user: ada.id, limit: 9))
            #expect(named?.map(\.name) == [.userDeleted])
            let others = try await world.store.events(EventQuery(app: world.app, user: bob.id, limit: 9))
            #expect(others?.map(\.context) == [client])
        }
    ]
}
