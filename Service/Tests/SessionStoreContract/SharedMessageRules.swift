internal import SessionDomain
internal import SessionTokens
internal import Testing

/// The messages that all callers of an app have together, and who pays for those of a login, through the store.
enum SharedMessageRules {
    static let all: [ContractRule] = [
        // Proves: H19
        ContractRule("Of concurrent codes to strangers an app sends three fifths, and more from its reserve to users") {
            world async throws in
            let limits = {
                var limits = LimitSettings()
                limits.appSendsPerDay = 20
                return limits
            }()
            let known = try (0..<6).map { try world.mail("known\($0)@example.com") }
            for mail in known { _ = try await world.addUser(mail.value) }
            @Sendable func start(
                _ mail: CanonicalIdentifier, at seconds: Int = 0, draw: Double = 0
            ) async throws -> LoginFailure? {
                let row = world.verificationStart(mail, token: "\(mail.value)\(seconds)").verification
                let now = world.now + seconds
                let outcome = try await world.store.perform(
                    StartVerification(
                        appID: world.app, identifier: mail, signUp: true,
                        budget: CallBudget(.start, limits: limits, device: nil, draw: draw, now: now),
                        draft: world.draft(), now: now, events: world.events(), verification: row))
                guard case .started(_, let message) = outcome else { throw ContractFailure("\(outcome)") }
                return message.content.withheld
            }
            // While their share lasts, nothing depends on whether a user has the identifier.
            #expect(try await start(known[5]) == nil)
            let new = try await concurrently(16) { try await start(try world.mail("new\($0)@example.com")) }
            #expect(new.filter { $0 == nil }.count == 11)
            #expect(new.filter { $0 == .strangerLimit }.count == 5)
            #expect(try await world.attempts(.loginLimited).map { $0.data["limit"] } == ["sends_of_app"])
            // Those to users take the reserve. Of four, one counts, as four.
            #expect(try await start(known[4], draw: 0.25) == nil)
            let users = try await concurrently(4) { try await start(known[$0]) }
            #expect(users.filter { $0 == nil }.count == 1)
            // One of the share comes back each 5400 seconds, and the reserve after a day.
            #expect(try await start(try world.mail("late@example.com"), at: 5399) == .strangerLimit)
            #expect(try await start(try world.mail("late@example.com"), at: 5400) == nil)
            #expect(try await start(known[5], at: 5401) == .strangerLimit)
            #expect(try await start(try world.mail("later@example.com"), at: 10_800) == nil)
            #expect(try await world.stored(.reserve(.sendsOfApp)) == 86_400)
        },
        ContractRule("A right code gives the messages of its login back to the networks that paid for them") {
            world async throws in
            let mail = try world.mail("moves@example.com")
            let (home, train) = (CountedNetwork(digest: "home"), CountedNetwork(digest: "train"))
            _ = try await world.store.perform(world.verificationStart(mail, token: "t", networks: [home]))
            let resend = ResendCode(
                appID: world.app, tokenHash: "t", limits: LimitSettings(), networks: [train],
                newCode: world.code("second", of: "t", expiresAt: world.now + 700), draft: world.draft(),
                now: world.now + 60)
            guard case .send(let next) = try await world.store.perform(resend) else {
                throw ContractFailure("not sent again")
            }
            #expect(next.payers.map(\.network) == ["home", "train"])
            #expect(try await world.stored(.startsOfNetwork("train")) == 1)
            let other = CountedNetwork(digest: "office")
            _ = try await world.store.perform(
                world.verificationStart(try world.mail("bob@example.com"), token: "b", networks: [other]))
            #expect(try await world.check("right", token: "t", networks: [other], after: 61).isRight)
            #expect(try await world.stored(.startsOfNetwork("home")) == 0)
            #expect(try await world.stored(.startsOfNetwork("train")) == 0)
            #expect(try await world.stored(.startsOfNetwork("office")) == 1, "it paid for another login")
        },
    ]
}
