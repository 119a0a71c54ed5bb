internal import SessionDomain
internal import Testing

/// What a grant covers, as refreshes of sessions show it.
enum GrantRules {
    static let all: [ContractRule] = [
        ContractRule("A single-use grant covers exactly its generation, and the next rotation deletes it") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let challenge = try await world.open(for: session)
            let first = try await world.rotate(
                session, proof: world.proof("a"), redeeming: world.reference(challenge))
            #expect(first.grants?.map(\.generation) == [1])
            let again = try await world.rotate(session, proof: world.proof("b"))
            #expect(again.repeatedGeneration == 1)
            #expect(again.grants == first.grants)
            #expect(try await world.rotate(session, generation: 1, proof: world.proof("c")).grants == [])
            // The grant would have expired by now, but housekeeping finds none: it was deleted.
            #expect(try await world.countExpired(after: 100) == 0)
        },
        ContractRule("A single-use grant covers no other session, and refreshes of other sessions keep it") {
            world async throws in
            let ada = try await world.addUser()
            let (one, other) = (try await world.signIn(ada), try await world.signIn(ada))
            let challenge = try await world.open(for: one)
            _ = try await world.rotate(one, proof: world.proof("a"), redeeming: world.reference(challenge))
            for generation in 0..<3 {
                let outcome = try await world.rotate(
                    other, generation: Int64(generation), proof: world.proof("other \(generation)"))
                #expect(outcome.grants == [])
            }
            #expect(try await world.rotate(one, proof: world.proof("b")).grants?.count == 1)
        },
        ContractRule("A session-bound grant covers every token of its session until it ends, and no other session") {
            world async throws in
            let ada = try await world.addUser()
            let (session, grant) = try await world.signIn(ada, granted: "pay", .sessionBound)
            let other = try await world.signIn(ada)
            #expect(try await world.rotate(other, proof: world.proof("o")).grants == [])
            for (generation, second) in [1, 50, 99].enumerated() {
                let outcome = try await world.rotate(
                    session, generation: Int64(generation), proof: world.proof("\(second)"), after: second)
                #expect(outcome.grants == [grant])
            }
            let late = try await world.rotate(session, generation: 3, proof: world.proof("d"), after: 100)
            #expect(late.grants == [])
            // The rotation deleted the grant, so housekeeping finds none.
            #expect(try await world.countExpired(after: 100) == 0)
        },
        ContractRule("A profile-bound grant covers every session of the user until it ends") { world async throws in
            let ada = try await world.addUser()
            let (session, grant) = try await world.signIn(ada, granted: "pay", .profileBound)
            let other = try await world.signIn(ada, key: "key-2")
            let first = try await world.rotate(other, proof: world.proof("a", key: "key-2"), after: 99)
            #expect(first.grants == [grant])
            #expect(try await world.rotate(session, proof: world.proof("a"), after: 99).grants == [grant])
            let late = try await world.rotate(
                other, generation: 1, proof: world.proof("b", key: "key-2"), after: 100)
            #expect(late.grants == [])
        },
        ContractRule("No grant covers another user, or a user of the same id in another app") { world async throws in
            for mode in GrantMode.allCases {
                let id = "usr_\(mode.rawValue)"
                let users = [(id, world.app), (id, world.otherApp), (id + "_other", world.app)].map { id, app in
                    User(id: id, appID: app, identifiers: [], createdAt: world.now)
                }
                for user in users {
                    #expect(try await world.store.perform(CreateUser(user, passwordHash: nil, events: [])) == .created)
                }
                _ = try await world.signIn(users[0], granted: "pay", mode)
                for user in users.dropFirst() {
                    let session = try await world.signIn(user)
                    #expect(try await world.rotate(session, proof: world.proof(user.id)).grants == [])
                }
            }
        },
        ContractRule("A grant of a login is stored with its session or not at all") { world async throws in
            let ada = try await world.addUser()
            let refused = world.newSession(of: ada)
            let grant = world.grant("pay", .profileBound, to: refused)
            _ = try await world.store.perform(world.start(world.newSession(of: ada), challenge: "spent"))
            let outcome = try await world.store.perform(
                world.start(refused, grants: [grant], challenge: "spent"))
            #expect(outcome == .challengeReused)
            let (session, given) = try await world.signIn(ada, granted: "read", .sessionBound)
            #expect(try await world.rotate(session, proof: world.proof("a")).grants == [given])
        },
        ContractRule("The users with a scope are counted once each, until their grants expire") { world async throws in
            let (ada, eve) = (try await world.addUser(), try await world.addUser("eve@example.com"))
            _ = try await world.signIn(ada, granted: "pay", .sessionBound, lasts: 50)
            _ = try await world.signIn(ada, granted: "pay", .profileBound)
            _ = try await world.signIn(eve, granted: "pay", .singleUse, lasts: 50)
            _ = try await world.signIn(eve, granted: "read", .singleUse)
            for (scope, seconds, count) in [
                ("pay", 49, 2), ("pay", 50, 1), ("pay", 100, 0), ("read", 0, 1), ("no", 0, 0),
            ] {
                let found = try await world.store.grantedUsers(
                    of: scope, app: world.app, at: world.now + seconds, among: 100)
                #expect(found.count == count && found.isComplete, "\(scope) after \(seconds) seconds")
            }
            let others = try await world.store.grantedUsers(of: "pay", app: world.otherApp, at: world.now, among: 1)
            #expect(others.count == 0 && others.isComplete)
            let first = try await world.store.grantedUsers(of: "pay", app: world.app, at: world.now, among: 1)
            #expect(first.count <= 1 && !first.isComplete, "one grant is read, of several")
        },
        ContractRule("A refresh deletes spent grants and keeps the others") { world async throws in
            let ada = try await world.addUser()
            let session = world.newSession(of: ada)
            let kept = [
                world.grant("a", .sessionBound, to: session, lasts: 50),
                world.grant("b", .profileBound, to: session, lasts: 50),
            ]
            let spent = [
                world.grant("c", .singleUse, to: session, lasts: 50),
                world.grant("d", .sessionBound, to: session, lasts: 5),
                world.grant("e", .profileBound, to: session, lasts: 5),
            ]
            _ = try await world.store.perform(world.start(session, grants: kept + spent))
            let outcome = try await world.rotate(session, proof: world.proof("a"), after: 5)
            #expect(outcome.grants == kept)
            #expect(try await world.countExpired(after: 50) == kept.count)
        },
    ]
}
