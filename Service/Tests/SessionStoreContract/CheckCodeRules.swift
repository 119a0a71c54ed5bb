internal import SessionDomain
internal import Testing

enum CheckCodeRules {
    static let all: [ContractRule] = [
        ContractRule("A correct code signs its user in once") { world async throws in
            let user = try await world.addUser()
            let started = try await world.begin(user.identifiers[0], token: "token")
            var checked = started
            checked.checks = 1
            let outcome = try await world.check("old key's", "right", token: "token")
            #expect(outcome == .right(checked, user, isNew: false))
            #expect(try await world.check("right", token: "token") == .unknown)
            #expect(try await world.happened() == [])
        },
        ContractRule("With a code_challenge, a correct code gets the same answer again until its challenge expires") {
            world async throws in
            let user = try await world.addUser()
            let started = try await world.begin(user.identifiers[0], token: "token", codeChallenge: "pkce")
            let answered = started.answered(with: started.code, at: world.now + 1)
            for seconds in [1, 2, 300] {
                let outcome = try await world.check("right", token: "token", after: seconds)
                #expect(outcome == .right(answered, user, isNew: false))
            }
            #expect(try await world.store.verification(tokenHash: "token", app: world.app) == answered)
            #expect(try await world.resend(token: "token", after: 40) == .unknown)
            #expect(try await world.check("right", token: "token", after: 301) == .unknown)
            #expect(try await world.happened() == [])
        },
        ContractRule("With a code_challenge, 32 concurrent correct codes create one user and get one answer") {
            world async throws in
            try await world.begin(try world.mail("ada@example.com"), token: "token", codeChallenge: "pkce")
            let outcomes = try await concurrently(32) { _ in try await world.check("right", token: "token") }
            guard case .right(let answered, let user, isNew: true) = outcomes[0] else {
                throw ContractFailure("\(outcomes[0])")
            }
            #expect(outcomes.allSatisfy { $0 == .right(answered, user, isNew: true) })
            #expect(try await world.happened() == [.userCreated])
        },
        ContractRule("A wrong code after the correct one counts, and the fifth ends the login") { world async throws in
            let user = try await world.addUser()
            try await world.begin(user.identifiers[0], token: "token", codeChallenge: "pkce")
            #expect(try await world.check("right", token: "token").isRight)
            for _ in 1...4 {
                #expect(try await world.check("wrong", token: "token") == .wrong)
                #expect(try await world.check("right", token: "token").isRight)
            }
            #expect(try await world.check("wrong", token: "token") == .spent)
            #expect(try await world.check("right", token: "token") == .spent)
        },
        ContractRule("A correct code that was answered is wrong when the logins of the identifier end") {
            world async throws in
            let user = try await world.addUser()
            try await world.begin(user.identifiers[0], token: "token", codeChallenge: "pkce")
            #expect(try await world.check("right", token: "token").isRight)
            try await world.write(.endVerifications(of: user.identifiers[0], app: world.app))
            #expect(try await world.check("right", token: "token") == .wrong)
        },
        // Proves: O3
        ContractRule("Of 32 concurrent correct codes, exactly one is accepted (O2)") { world async throws in
            let user = try await world.addUser()
            try await world.begin(user.identifiers[0], token: "token")
            let outcomes = try await concurrently(32) { _ in try await world.check("right", token: "token") }
            #expect(outcomes.filter(\.isRight).count == 1)
            #expect(outcomes.filter { $0 == .unknown }.count == 31)
        },
        ContractRule("A correct code creates a user if no user has the identifier, with an event") {
            world async throws in
            let started = try await world.begin(try world.mail("Ada@example.com"), token: "token")
            let outcome = try await world.check("right", token: "token")
            guard case .right(_, let user, isNew: true) = outcome else { throw ContractFailure("\(outcome)") }
            #expect(try await world.store.user(with: started.identifier, app: world.app) == user)
            #expect(user.identifiers.map(\.value) == ["Ada@example.com"])
            #expect(try await world.happened() == [.userCreated])
        },
        ContractRule("Concurrent verifications of one new identifier create one user") { world async throws in
            let address = try world.mail("ada@example.com")
            for index in 0..<8 { try await world.begin(address, token: "t\(index)") }
            let outcomes = try await concurrently(8) { try await world.check("right", token: "t\($0)") }
            let ids = Set(outcomes.compactMap { if case .right(_, let user, _) = $0 { user.id } else { nil } })
            #expect(outcomes.filter(\.isRight).count == 8)
            #expect(ids.count == 1)
            #expect(try await world.happened() == [.userCreated])
        },
        ContractRule("No user is created if the app stopped sign-up after the code was sent") { world async throws in
            let started = try await world.begin(try world.mail("ada@example.com"), token: "token")
            #expect(try await world.check("right", token: "token", signUp: false) == .wrong)
            #expect(try await world.store.user(with: started.identifier, app: world.app) == nil)
            #expect(try await world.happened() == [])
        },
        // Proves: O2
        ContractRule("Every attempt at a code counts before it is compared, and the fifth is the last") {
            world async throws in
            let user = try await world.addUser()
            try await world.begin(user.identifiers[0], token: "token")
            let outcomes = try await concurrently(32) { _ in try await world.check("wrong", token: "token") }
            #expect(outcomes.filter { $0 == .wrong }.count == 4)
            #expect(outcomes.filter { $0 == .spent }.count == 28)
            #expect(try await world.store.verification(tokenHash: "token", app: world.app)?.checks == 5)
            #expect(try await world.check("right", token: "token") == .spent)
        },
        ContractRule("For an expired code a new one is needed, and the attempt is not counted") { world async throws in
            let user = try await world.addUser()
            try await world.begin(user.identifiers[0], token: "token")
            #expect(try await world.check("right", token: "token", after: 600) == .spent)
            #expect(try await world.store.verification(tokenHash: "token", app: world.app)?.checks == 0)
            #expect(try await world.check("right", token: "token", after: 599).isRight)
        },
        ContractRule("A verification token of another app is unknown") { world async throws in
            let user = try await world.addUser()
            try await world.begin(user.identifiers[0], token: "token")
            let outcome = try await world.store.perform(
                CheckCode(
                    appID: world.otherApp, tokenHash: "token", codeHashes: ["right"], limits: LimitSettings(),
                    signUp: true, newUserID: "usr_x", now: world.now, events: world.events()))
            #expect(outcome == .unknown)
            #expect(try await world.check("right", token: "token").isRight)
        },
        ContractRule("Failed checks are counted per identifier, over new codes and new verifications (O6)") {
            world async throws in
            let user = try await world.addUser()
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 3, window: 3600)
            try await world.begin(user.identifiers[0], token: "one")
            for _ in 0..<2 { #expect(try await world.check("wrong", token: "one", limits: limits) == .wrong) }
            _ = try await world.resend(token: "one", after: 301)
            #expect(try await world.check("wrong", token: "one", limits: limits, after: 302) == .wrong)
            try await world.begin(user.identifiers[0], token: "two", after: 310)
            let failures = CounterKey.failures(.anonymous(user.identifiers[0]), .hour)
            let limited = CheckCodeOutcome.limited(ReachedLimit(failures, until: world.now + 3601))
            #expect(try await world.check("right", token: "two", limits: limits, after: 311) == limited)
            #expect(try await world.store.verification(tokenHash: "two", app: world.app)?.checks == 0)
            try await world.begin(user.identifiers[0], token: "three", after: 3600)
            #expect(try await world.check("right", token: "three", limits: limits, after: 3601).isRight)
        },
        ContractRule("Failed checks of one identifier do not limit another (O8)") { world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 1, window: 3600)
            for (user, token) in [(ada, "ada's"), (bob, "bob's")] {
                try await world.begin(user.identifiers[0], token: token)
            }
            _ = try await world.check("wrong", token: "ada's", limits: limits)
            #expect(try await world.check("right", token: "bob's", limits: limits).isRight)
        },
        // Proves: O24
        ContractRule("A success clears the count of failures") { world async throws in
            let user = try await world.addUser()
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 2, window: 3600)
            for round in 0..<3 {
                try await world.begin(user.identifiers[0], token: "t\(round)")
                #expect(try await world.check("wrong", token: "t\(round)", limits: limits) == .wrong)
                #expect(try await world.check("right", token: "t\(round)", limits: limits).isRight)
            }
        },
    ]
}
