internal import SessionDomain
internal import Testing

enum VerificationRules {
    static let all: [ContractRule] = [
        ContractRule("A verification comes back as it was started, in its app only") { world async throws in
            let started = try await world.begin(
                try world.mail("ada@example.com"), token: "token", codeChallenge: "pkce")
            #expect(started.codeChallenge == "pkce")
            #expect(try await world.store.verification(tokenHash: "token", app: world.app) == started)
            #expect(try await world.store.verification(tokenHash: "token", app: world.otherApp) == nil)
            #expect(try await world.store.verification(tokenHash: "", app: world.app) == nil)
        },
        ContractRule(
            "An identifier that no user has and none may get has a suppressed verification, which accepts no code"
        ) {
            world async throws in
            // The status of the user with the address, whether sign-up is allowed, and whether the code is suppressed. A
            // user that may not sign in gets a code, too, and learns the status by it.
            let rows: [(status: User.Status?, signUp: Bool, isSuppressed: Bool)] = [
                (nil, true, false), (nil, false, true), (.active, true, false), (.active, false, false),
                (.inactive, true, false), (.suspended, true, false), (.suspended, false, false),
            ]
            for (index, row) in rows.enumerated() {
                let address = "u\(index)@example.com"
                if let status = row.status { _ = try await world.addUser(address, status: status) }
                let started = try await world.begin(
                    try world.mail(address), token: "t\(index)", signUp: row.signUp)
                #expect(started.isSuppressed == row.isSuppressed)
                let outcome = try await world.check("right", token: "t\(index)", signUp: row.signUp)
                switch row.status {
                case .inactive, .suspended: #expect(outcome == .inactive(row.status ?? .active))
                default: #expect(outcome.isRight == !row.isSuppressed)
                }
            }
        },
        // Proves: O9
        ContractRule("A verification that was ended has the answers of one for an unknown identifier") {
            world async throws in
            let (known, unknown) = (try world.mail("ada@example.com"), try world.mail("unknown@example.com"))
            let rows = [(identifier: known, token: "known"), (unknown, "unknown")]
            for (identifier, token) in rows { try await world.begin(identifier, token: token) }
            try await world.write(.endVerifications(of: known, app: world.app))
            try await world.write(.endVerifications(of: unknown, app: world.otherApp))
            for (_, token) in rows { #expect(try await world.check("wrong", token: token) == .wrong) }
            let stored = try await world.store.verification(tokenHash: "known", app: world.app)
            #expect(stored?.isSuppressed == true && stored?.checks == 1)
            for (_, token) in rows {
                guard case .send = try await world.resend(token: token, after: 301) else {
                    throw ContractFailure("no further code for the verification \(token)")
                }
            }
            #expect(try await world.check("second", token: "known", after: 302) == .wrong)
            #expect(try await world.check("second", token: "unknown", after: 302).isRight)
        },
        ContractRule("Codes of an ended verification that are not sent yet are not sent, and notices are") {
            world async throws in
            let (ended, other) = (try world.mail("ada@example.com"), try world.mail("bob@example.com"))
            try await world.queue("ended", to: ended)
            try await world.queue("other", to: other)
            try await world.queue("other app", to: ended, app: world.otherApp)
            try await world.queue("sent", to: ended) { $0.status = .sent }
            let notice = MessageContent(purpose: .notice, code: nil, values: ["notice": "password_changed"])
            try await world.queue("notice", to: ended, content: notice)
            try await world.write(.endVerifications(of: ended, app: world.app))
            #expect(try await world.message("ended") == nil)
            for id in ["other", "sent", "notice"] { #expect(try await world.message(id) != nil, "\(id)") }
            #expect(try await world.due(after: 0).contains("\(world.otherApp) email 0: 1"))
        },
        ContractRule("A verification of a step is deleted when it is ended") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let challenge = try await world.open(for: session, steps: [ContractWorld.mailStep])
            _ = try await world.send(challenge)
            let identifier = try world.mail("ada@example.com")
            try await world.write(.endVerifications(of: identifier, app: world.app))
            let key = challenge.verificationKey
            #expect(try await world.store.verification(tokenHash: key, app: world.app) == nil)
            guard case .send = try await world.send(challenge) else { throw ContractFailure("the step gets no code") }
        },
        ContractRule("Starts are limited per identifier, over all its verifications, until the window ends") {
            world async throws in
            let address = try world.mail("ada@example.com")
            let limit = RateLimit(limit: 2, window: 600)
            func start(_ identifier: CanonicalIdentifier, _ token: String, after seconds: Int = 0) async throws
                -> StartVerificationOutcome
            {
                try await world.store.perform(
                    world.verificationStart(identifier, token: token, limit: limit, after: seconds))
            }
            for token in ["a", "b"] { _ = try await start(address, token) }
            let limited = StartVerificationOutcome.limited(
                ReachedLimit(.starts(.anonymous(address)), until: world.now + 600))
            #expect(try await start(try world.mail("ADA@example.com"), "c") == limited)
            #expect(try await world.store.verification(tokenHash: "c", app: world.app) == nil)
            #expect(try await start(try world.mail("bob@example.com"), "d").isStarted)
            #expect(try await start(address, "e", after: 599) == limited)
            #expect(try await start(address, "f", after: 600).isStarted)
        },
        ContractRule("Concurrent starts never exceed their limit") { world async throws in
            let address = try world.mail("ada@example.com")
            let outcomes = try await concurrently(32) { index in
                try await world.store.perform(
                    world.verificationStart(address, token: "t\(index)", limit: RateLimit(limit: 5, window: 600)))
            }
            #expect(outcomes.filter(\.isStarted).count == 5)
        },
        // Proves: O27
        ContractRule(
            "A code is sent again in the first half of its life, and later a new one beside it, with its checks"
        ) { world async throws in
            for token in ["old", "new"] {
                try await world.begin(try world.mail("\(token)@example.com"), token: token)
                _ = try await world.check("wrong", token: token)
                let same = try await world.resend(token: token, after: 300)
                let first = try await world.store.verification(tokenHash: token, app: world.app)
                #expect(first.map(ResendOutcome.send) == same)
                #expect(first?.code.hash == "right" && first?.previousCode == nil)
                #expect(first?.code.expiresAt == world.now + 600 && first?.checks == 1 && first?.sends == 2)
                let other = try await world.resend(token: token, after: 330)
                let second = try await world.store.verification(tokenHash: token, app: world.app)
                #expect(second.map(ResendOutcome.send) == other)
                #expect(second?.code.hash == "second" && second?.previousCode?.hash == "right")
                #expect(second?.code.expiresAt == world.now + 930 && second?.checks == 1 && second?.sends == 3)
            }
            #expect(try await world.check("right", token: "old", after: 599).isRight)
            #expect(try await world.check("right", token: "new", after: 600) == .wrong)
            #expect(try await world.check("second", token: "new", after: 600).isRight)
        },
        ContractRule("When the checks of a code are used up, the next one has all of them") { world async throws in
            try await world.begin(try world.mail("ada@example.com"), token: "token")
            for _ in 0..<5 { _ = try await world.check("wrong", token: "token") }
            _ = try await world.resend(token: "token", after: 30)
            let stored = try await world.store.verification(tokenHash: "token", app: world.app)
            #expect(stored?.checks == 0 && stored?.previousCode == nil)
            #expect(try await world.check("right", token: "token", after: 31) == .wrong)
            #expect(try await world.check("second", token: "token", after: 31).isRight)
        },
        ContractRule("A verification whose code has expired sends a new one, until its own end") { world async throws in
            try await world.begin(try world.mail("ada@example.com"), token: "token")
            for _ in 0..<2 { #expect(try await world.check("wrong", token: "token") == .wrong) }
            #expect(try await world.check("right", token: "token", after: 601) == .spent)
            guard case .send(let next) = try await world.resend(token: "token", after: 2999) else {
                throw ContractFailure("no further code")
            }
            #expect(next.code.hash == "second" && next.previousCode == nil && next.checks == 0 && next.sends == 2)
            #expect(try await world.deleteExpired(now: world.now + 3599, limit: 100) >= 0)
            #expect(try await world.check("right", token: "token", after: 3000) == .wrong)
            #expect(try await world.check("second", token: "token", after: 3598).isRight)
            try await world.begin(try world.mail("bob@example.com"), token: "other")
            #expect(try await world.resend(token: "other", after: 3000) == .unknown)
            #expect(try await world.check("right", token: "other", after: 3000) == .unknown)
        },
        ContractRule("A code is not sent again too soon, too often, too late, or without a verification") {
            world async throws in
            var limits = LimitSettings()
            limits.sendsPerVerification = 2
            try await world.begin(try world.mail("ada@example.com"), token: "token")
            let before = try await world.store.verification(tokenHash: "token", app: world.app)
            let soon = try await world.resend(token: "token", limits: limits, after: 29)
            #expect(soon == .limited(until: world.now + 30))
            #expect(try await world.resend(token: "other", limits: limits, after: 30) == .unknown)
            #expect(try await world.resend(token: "token", limits: limits, after: 1200) == .unknown)
            #expect(try await world.store.verification(tokenHash: "token", app: world.app) == before)
            _ = try await world.resend(token: "token", limits: limits, after: 30)
            let often = try await world.resend(token: "token", limits: limits, after: 100)
            #expect(often == .limited(until: world.now + 1200))
        },
        ContractRule("Of many concurrent requests for a new code, one succeeds") { world async throws in
            try await world.begin(try world.mail("ada@example.com"), token: "token")
            let decisions = try await concurrently(16) { index in
                try await world.resend(token: "token", code: "code \(index)", after: 30)
            }
            #expect(decisions.filter { $0 == .limited(until: world.now + 60) }.count == 15)
            #expect(try await world.store.verification(tokenHash: "token", app: world.app)?.sends == 2)
        },
    ]
}
