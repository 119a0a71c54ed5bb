internal import SessionDomain
internal import SessionTokens
internal import Testing

enum HousekeepingRules {
    static let all: [ContractRule] = [
        ContractRule("Expired replay memory is deleted up to the limit, and the rest stays") {
            world async throws in
            for index in 0..<5 {
                _ = try await world.store.perform(
                    ReserveProof(
                        world.proof("old \(index)", lasts: 10), app: world.app, now: world.now))
            }
            let kept = world.proof("kept", lasts: 11)
            _ = try await world.store.perform(ReserveProof(kept, app: world.app, now: world.now))
            #expect(try await world.deleteExpired(now: world.now + 9, limit: 100) == 0)
            #expect(try await world.deleteExpired(now: world.now + 10, limit: 2) == 2)
            #expect(try await world.deleteExpired(now: world.now + 10, limit: 100) == 3)
            #expect(try await world.store.perform(ReserveProof(kept, app: world.app, now: world.now + 10)) == false)
        },
        ContractRule("Expired verifications, counters and redeemed challenges are deleted, and running ones stay") {
            world async throws in
            let user = try await world.addUser()
            // Challenge and counter expire after 600 seconds, and so does the code, whose verification is kept for an hour.
            _ = try await world.signIn(user)
            try await world.begin(user.identifiers[0], token: "old")
            try await world.begin(try world.mail("bob@example.com"), token: "running", after: 1)
            #expect(try await world.deleteExpired(now: world.now + 599, limit: 100) == 0)
            #expect(try await world.deleteExpired(now: world.now + 600, limit: 100) == 2)
            #expect(try await world.deleteExpired(now: world.now + 601, limit: 100) == 1)
            #expect(try await world.store.verification(tokenHash: "old", app: world.app) != nil)
            _ = try await world.deleteExpired(now: world.now + 4200, limit: 100)
            #expect(try await world.store.verification(tokenHash: "old", app: world.app) == nil)
            #expect(try await world.store.verification(tokenHash: "running", app: world.app) != nil)
            #expect(try await world.deleteExpired(now: world.now + 4201, limit: 100) == 1)
        },
        // Proves: R28
        ContractRule("What was redeemed stays redeemed when a wrong clock deletes its row (R17)") {
            world async throws in
            func redeem(_ id: String, until seconds: Int) async throws -> GuardFailures {
                try await world.failures(of: .redeem(id, until: world.now + seconds, app: world.app))
            }
            for seconds in [100, 200, 300] {
                #expect(try await redeem("\(seconds)", until: seconds) == GuardFailures())
            }
            #expect(try await world.deleteExpired(now: world.now + 300, limit: 2) == 2)
            for seconds in [100, 200, 300] {
                #expect(
                    try await redeem("\(seconds)", until: seconds) == GuardFailures(.taken(.redemption("\(seconds)"))))
            }
            // The first batch ended at 200, so no row that expires later was deleted.
            #expect(try await redeem("another", until: 200) == GuardFailures(.taken(.redemption("another"))))
            #expect(try await redeem("another", until: 201) == GuardFailures())
            #expect(try await world.deleteExpired(now: world.now + 300, limit: 2) == 2)
            #expect(try await redeem("new", until: 300) == GuardFailures(.taken(.redemption("new"))))
            #expect(try await redeem("new", until: 301) == GuardFailures())
        },
        // Proves: R29
        ContractRule("Deleted redemptions reject none of another kind or app, and deleted reports reject nothing") {
            world async throws in
            // What lives longer than a challenge of a login must not reject one.
            let ids = ["first": 300, "step/first": 900, "login.failed/first/1": 900]
            for (id, seconds) in ids { try await world.write(.redeem(id, until: world.now + seconds, app: world.app)) }
            #expect(try await world.deleteExpired(now: world.now + 3600, limit: 100) == 3)
            func isTaken(_ id: String, until seconds: Int, app: AppID) async throws -> Bool {
                let redemption = Change.redeem(id, until: world.now + seconds, app: app)
                return try await world.failures(of: redemption) == GuardFailures(.taken(.redemption(id)))
            }
            #expect(try await isTaken("first", until: 300, app: world.app))
            #expect(try await !isTaken("next", until: 301, app: world.app))
            #expect(try await isTaken("step/first", until: 900, app: world.app))
            #expect(try await !isTaken("step/next", until: 901, app: world.app))
            for id in ids.keys { #expect(try await !isTaken(id, until: 299, app: world.otherApp)) }
            for id in ["login.failed/first/1", "login.limited/next"] {
                #expect(try await !isTaken(id, until: 900, app: world.app))
            }
        },
        ContractRule("Redemptions that a clock years ahead wrote and deleted do not reject those of today") {
            world async throws in
            let decade = 3650 * 86_400
            try await world.write(.redeem("far", until: world.now + decade, app: world.app))
            #expect(try await world.deleteExpired(now: world.now + decade, limit: 100) == 1)
            let today = try await world.failures(of: .redeem("today", until: world.now + 300, app: world.app))
            #expect(today == GuardFailures())
            let far = try await world.failures(of: .redeem("far", until: world.now + decade, app: world.app))
            #expect(far == GuardFailures(.taken(.redemption("far"))))
        },
        ContractRule("A session is deleted 30 days after its expiry or revocation, and not before") {
            world async throws in
            let user = try await world.addUser()
            let day = 86_400
            let (expired, revoked) = (try await world.signIn(user, idle: day), try await world.signIn(user))
            let live = try await world.signIn(user)
            _ = try await world.store.perform(
                RevokeSessions(.one(revoked.id), reason: .logout, in: world.change(of: user.id, after: day)))
            _ = try await world.rotate(live, proof: nil)
            _ = try await world.deleteExpired(now: world.now + 31 * day - 1, limit: 100)
            for session in [expired, revoked, live] {
                #expect(try await world.store.session(session.id, app: world.app) != nil)
            }
            // A store may be up to an hour late.
            _ = try await world.deleteExpired(now: world.now + 31 * day + 3600, limit: 100)
            for session in [expired, revoked] {
                #expect(try await world.store.session(session.id, app: world.app) == nil)
            }
            #expect(try await world.store.session(live.id, app: world.app) != nil)
        },
        ContractRule("A rotation postpones the deletion of a session") { world async throws in
            let session = try await world.signIn(try await world.addUser(), idle: 86_400)
            _ = try await world.rotate(session, proof: world.proof("a"), after: 43_200)
            _ = try await world.deleteExpired(now: world.now + 32 * 86_400, limit: 100)
            #expect(try await world.store.session(session.id, app: world.app) != nil)
        },
        ContractRule("Events are deleted after 30 days, and listed newest first, page by page, for their app only") {
            world async throws in
            let days = 86_400
            for day in [0, 1, 2] {
                let user = User(
                    id: "usr_\(day)", appID: world.app, identifiers: [try world.mail("u\(day)@example.com")],
                    createdAt: world.now)
                let event = world.events(at: world.now + day * days).userCreated(user)
                _ = try await world.store.perform(CreateUser(user, passwordHash: nil, events: [event]))
            }
            let all = try await world.store.events(app: world.app, limit: 10, offset: 0)
            #expect(all.map { $0.data["user_id"] } == ["usr_2", "usr_1", "usr_0"])
            #expect(try await world.store.events(app: world.app, limit: 1, offset: 1) == [all[1]])
            #expect(try await world.store.events(app: world.otherApp, limit: 10, offset: 0).isEmpty)
            #expect(try await world.deleteExpired(now: world.now + 31 * days, limit: 100) == 2)
            #expect(try await world.store.events(app: world.app, limit: 10, offset: 0) == [all[0]])
        },
    ]
}
