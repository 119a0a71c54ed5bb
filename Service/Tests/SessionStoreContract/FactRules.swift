internal import SessionDomain
internal import SessionTokens
internal import Testing

/// The rows that a store returns for a query.
enum FactRules {
    static let all: [ContractRule] = [
        ContractRule("A query that asks for nothing returns nothing") { world async throws in
            _ = try await StoredRows(world)
            let facts = try await world.read { _ in }
            #expect(facts.settings == nil && facts.challenge == nil && facts.session == nil && facts.user == nil)
            #expect(facts.verification == nil && facts.passwordHash == nil)
            #expect(facts.grants.isEmpty && facts.liveSessions.isEmpty && facts.unredeemedChallenges.isEmpty)
            #expect(facts.owners.isEmpty && facts.signingKeys.isEmpty && facts.managementKeys.isEmpty)
            #expect(facts.surplusSessions.isEmpty)
            #expect(facts.webhook == nil && facts.webhookCount == 0 && facts.dueDeliveries.isEmpty)
        },
        ContractRule("A query finds each kind of row, and the rows that depend on them") { world async throws in
            try await StoredRows(world).expectUnchanged()
        },
        ContractRule("A session is found without its user, and with it") { world async throws in
            let user = try await world.addUser()
            let session = try await world.signIn(user)
            let alone = try await world.read { $0.session = .id(session.id) }
            #expect(alone.session == session)
            #expect(alone.user == nil)
            let both = try await world.read { query in
                query.session = .id(session.id)
                query.user = .ofSession
            }
            #expect(both.session == session)
            #expect(both.user == user)
            let (bob, other) = (try await world.addUser("bob@example.com"), session.id)
            let apart = try await world.read { query in
                query.session = .id(other)
                query.user = .id(bob.id)
            }
            #expect(apart.session == session)
            #expect(apart.user == bob)
        },
        ContractRule("A user is found by id, by identifier, and by the identifier of a verification") {
            world async throws in
            let user = try await world.addUser()
            let started = try await world.begin(user.identifiers[0], token: "token")
            #expect(try await world.read { $0.user = .id(user.id) }.user == user)
            #expect(try await world.read { $0.user = .identifier(user.identifiers[0]) }.user == user)
            let facts = try await world.read { query in
                query.verification = .tokenHash("token")
                query.user = .ofVerification(now: world.now, maximumChecks: 5)
            }
            #expect(facts.verification == started)
            #expect(facts.user == user)
            let spent = try await world.read { query in
                query.verification = .tokenHash("token")
                query.user = .ofVerification(now: world.now, maximumChecks: 0)
            }
            #expect(spent.verification == started && spent.user == nil)
            let expired = try await world.read { query in
                query.verification = .tokenHash("token")
                query.user = .ofVerification(now: started.code.expiresAt, maximumChecks: 5)
            }
            #expect(expired.verification == started && expired.user == nil)
        },
        ContractRule("A user found by identifier comes without the profile") { world async throws in
            let user = try await world.addUser()
            _ = try await world.store.perform(MergeProfile(["size": "large"], in: world.change(of: user.id)))
            #expect(try await world.read { $0.user = .id(user.id) }.user?.profile == ["size": "large"])
            #expect(try await world.read { $0.user = .identifier(user.identifiers[0]) }.user?.profile == [:])
        },
        ContractRule("Rows that do not exist are missing, with all that depend on them") { world async throws in
            let facts = try await world.read { query in
                query.settings = true
                query.challenge = "chg_unknown"
                query.session = .ofChallenge
                query.user = .ofSession
                query.verification = .ofChallenge
                query.grants = world.now
                query.passwordHash = true
                query.liveSessions = world.now
                query.webhook = "web_unknown"
                query.dueDeliveries = .init(now: world.now, limit: 10)
                query.managementKeys = true
                query.surplusSessions = .init(now: world.now, keeping: 0)
            }
            #expect(facts.settings == nil && facts.challenge == nil && facts.session == nil && facts.user == nil)
            #expect(facts.verification == nil && facts.passwordHash == nil)
            #expect(facts.grants.isEmpty && facts.liveSessions.isEmpty && facts.surplusSessions.isEmpty)
            #expect(facts.webhook == nil && facts.dueDeliveries.isEmpty && facts.managementKeys.isEmpty)
        },
        ContractRule("The verification of a challenge is that of its current step") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let challenge = try await world.open(for: session, steps: [ContractWorld.mailStep])
            let sent = try #require(try await world.send(challenge).sent)
            let facts = try await world.read { query in
                query.challenge = challenge.id
                query.verification = .ofChallenge
            }
            #expect(facts.verification == sent)
            #expect(facts.session == nil)
        },
        ContractRule("Live sessions of the user come in the order of their ids, ended ones left out") {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let (one, two) = (try await world.signIn(ada), try await world.signIn(ada))
            let (ended, expired) = (try await world.signIn(ada), try await world.signIn(ada, idle: 5))
            _ = try await world.signIn(bob)
            try await world.endSession(ended)
            let live = { (seconds: Int) async throws -> [Session] in
                try await world.read { query in
                    query.user = .id(ada.id)
                    query.liveSessions = world.now + seconds
                }.liveSessions
            }
            #expect(try await live(4) == [one, two, expired].sorted { $0.id < $1.id })
            #expect(try await live(5) == [one, two].sorted { $0.id < $1.id })
        },
        ContractRule("Surplus sessions are the live ones of the user without those used last, in this order") {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            var sessions: [Session] = []
            for second in 1...4 {
                let session = try await world.signIn(ada, idle: second == 4 ? 5 : 1000)
                _ = try await world.rotate(session, proof: world.proof("\(second)"), after: 10 - 2 * second)
                sessions.append(session)
            }
            _ = try await world.signIn(bob)
            try await world.endSession(sessions[1])
            func surplus(keeping count: Int) async throws -> [String] {
                try await world.read { query in
                    query.user = .id(ada.id)
                    query.surplusSessions = .init(now: world.now + 20, keeping: count)
                }.surplusSessions.map(\.id)
            }
            let live = [sessions[0].id, sessions[2].id, sessions[3].id]
            for count in 0...4 { #expect(try await surplus(keeping: count) == Array(live.dropFirst(count))) }
        },
        ContractRule("Unredeemed challenges of a session come newest first") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let redeemed = try await world.open(for: session)
            _ = try await world.rotate(session, proof: world.proof("a"), redeeming: world.reference(redeemed))
            let older = try await world.open(for: session, after: 1)
            let newer = try await world.open(for: session, after: 2)
            let facts = try await world.read { $0.unredeemedChallenges = session.id }
            #expect(facts.unredeemedChallenges == [newer, older])
        },
        ContractRule("Owners of identifiers and of an external id come once each, from this app only") {
            world async throws in
            let ada = try await world.addUser(externalID: "ada")
            let bob = try await world.addUser("bob@example.com", externalID: "bob")
            _ = try await world.addUser("eve@example.com", app: world.otherApp, externalID: "eve")
            let addresses = try ["ada@example.com", "bob@example.com", "eve@example.com"].map(world.mail)
            let owners = { (identifiers: [CanonicalIdentifier], externalID: String?) async throws -> Set<String> in
                let found = try await world.read {
                    $0.owners = .init(identifiers: identifiers, externalID: externalID)
                }.owners
                #expect(Set(found.map(\.id)).count == found.count)
                for user in found { #expect([ada, bob].contains(user)) }
                return Set(found.map(\.id))
            }
            #expect(try await owners(addresses, "ada") == [ada.id, bob.id])
            #expect(try await owners([addresses[0]], "ada") == [ada.id])
            #expect(try await owners([addresses[2]], "bob") == [bob.id])
            #expect(try await owners([addresses[2]], "eve") == [])
            #expect(try await owners([], nil) == [])
        },
        ContractRule("Signing keys come by purpose, the last to sign first") { world async throws in
            let keys = [
                SigningKeyRules.key("old", of: world.app, at: world.now),
                SigningKeyRules.key("new", of: world.app, at: world.now + 1),
                SigningKeyRules.key("other", of: world.app, at: world.now + 2, purpose: .challenge),
            ]
            try #require(
                try await world.store.perform(
                    CreateApp(App(id: world.app, name: "a", createdAt: world.now), keys: keys)))
            #expect(try await world.read { $0.signingKeys = .access }.signingKeys == [keys[1], keys[0]])
            #expect(try await world.read { $0.signingKeys = .hook }.signingKeys == [])
        },
        ContractRule("Each change that makes logins void raises the user's count by one, and no other user's") {
            world async throws in
            let (user, other) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            #expect(user.loginEpoch == 0)
            for count in 1...3 {
                try await world.write(.voidLogins(of: user))
                #expect(try await world.read { $0.user = .id(user.id) }.user?.loginEpoch == Int64(count))
                let found = try await world.read { $0.user = .identifier(user.identifiers[0]) }
                #expect(found.user?.loginEpoch == Int64(count))
            }
            #expect(try await world.read { $0.user = .id(other.id) }.user == other)
        },
        ContractRule("A hold is read with its identifier, by every way to the user, until it is released") {
            world async throws in
            let (user, other) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let session = try await world.signIn(user)
            let phones = try ["+14155550100", "+14155550101"].map(world.phone)
            try await world.write(
                .insertIdentifier(phones[0], of: user, heldUntil: world.now + 60),
                .insertIdentifier(phones[1], of: other, heldUntil: world.now + 60))
            let ways: [@Sendable (inout FactQuery) -> Void] = [
                { $0.user = .id(user.id) }, { $0.user = .identifier(phones[0]) },
                { query in
                    query.session = .id(session.id)
                    query.user = .ofSession
                },
            ]
            for way in ways {
                #expect(try await world.read(way).user?.heldUntil == [phones[0]: world.now + 60])
            }
            try await world.write(.releaseIdentifiers(of: user))
            for way in ways { #expect(try await world.read(way).user?.heldUntil == [:]) }
            let others = try await world.read { $0.user = .id(other.id) }
            #expect(others.user?.heldUntil == [phones[1]: world.now + 60])
        },
        // Proves: X2
        ContractRule("Grants come with the session that earned them: neither a revoked nor an expired one has any") {
            world async throws in
            let ada = try await world.addUser()
            let live = try await world.signIn(ada, granted: "pay", .profileBound)
            let brief = world.newSession(of: ada, idle: 50)
            let grant = world.grant("read", .profileBound, to: brief)
            _ = try await world.store.perform(world.start(brief, grants: [grant]))
            let read = { (seconds: Int) async throws -> [Grant] in
                try await world.read { query in
                    query.user = .id(ada.id)
                    query.grants = world.now + seconds
                }.grants
            }
            #expect(try await read(49) == [live.grant, grant])
            #expect(try await read(50) == [live.grant])
            var revoked = live.session
            revoked.revokedAt = world.now
            try await world.write(.replaceSession(live.session, with: revoked))
            #expect(try await read(49) == [grant])
            #expect(try await world.store.grants(of: ada.id, app: world.app, liveAt: world.now) == [grant])
        },
        ContractRule("Due deliveries come longest due first, up to the limit, without those that are not due") {
            world async throws in
            try await world.addApp()
            let (webhook, other) = (try await world.addWebhook(), try await world.addWebhook())
            let events = try await world.tell(.userCreated, .userCreated, .userCreated)
            let due = { (seconds: Int, limit: Int) async throws -> [Event] in
                try await world.read { query in
                    query.webhook = webhook.id
                    query.dueDeliveries = .init(now: world.now + seconds, limit: limit)
                }.dueDeliveries.map(\.event)
            }
            #expect(try await due(1, 10) == [events[0], events[1]])
            #expect(try await due(2, 2) == [events[0], events[1]])
            let first = WebhookDelivery(webhookID: webhook.id, event: events[0], nextAttemptAt: world.now)
            try await world.write(.leaseDelivery(first, until: world.now + 2))
            #expect(try await due(2, 10) == [events[1], events[0], events[2]])
            try await world.write(.failPendingDeliveries(of: webhook, error: "stopped", limit: 9))
            #expect(try await due(2, 10) == [])
            #expect(try await world.deliveries(of: other).map(\.status) == [.pending, .pending, .pending])
            #expect(try await world.read { $0.webhookCount = true }.webhookCount == 2)
        },
    ]
}
