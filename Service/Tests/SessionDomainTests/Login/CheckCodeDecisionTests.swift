import Testing

@testable import SessionDomain

@Suite("What a code check writes")
struct CheckCodeDecisionTests {
    private func check(
        _ hash: String, device: KnownDevice? = nil, signUp: Bool = true, _ fill: (inout FoundRows) throws -> Void
    ) throws -> Decision<CheckCodeOutcome> {
        let intent = CheckCode(
            appID: try appID(), tokenHash: "token", codeHashes: [hash], limits: LimitSettings(), device: device,
            signUp: signUp, newUserID: "usr_new", now: now, events: try TestApp.events())
        return intent.decide(try FoundRows(fill)).withoutReports
    }

    private var stranger: BudgetOwner { get throws { .anonymous(try TestApp.mail()) } }

    private func counted(_ owner: BudgetOwner) throws -> [Change] {
        let device: KnownDevice? = if case .device = owner { TestApp.device() } else { nil }
        let budget = CallBudget(.check, limits: LimitSettings(), device: device, now: now)
        return try TestApp.counted(budget.counters(for: try TestApp.mail(), device: device == nil ? .stranger : .known))
    }

    /// The changes of a wrong code, and of a correct one that signs no user in.
    private var rejected: [Change] {
        get throws {
            let (running, checked) = (try TestApp.verification(), try TestApp.verification(checks: 1))
            return try counted(try stranger) + [.replaceVerification(running, with: checked)]
        }
    }

    private func spent(_ owner: BudgetOwner) throws -> [Change] {
        try counted(owner) + [.deleteVerification(try TestApp.verification())]
    }

    private func proven(_ owner: BudgetOwner, isHeld: Bool = false) throws -> [Change] {
        let counters = try counted(owner).compactMap { change -> CounterKey? in
            if case .count(let key, _, _, _) = change { key } else { nil }
        }
        let cleared = isHeld ? [] : owner.clearedBySuccess(of: try TestApp.mail())
        let app = try appID()
        return try spent(owner) + TestApp.cleared(cleared)
            + counters.filter { !cleared.contains($0) }.map { .uncount($0, app: app) }
    }

    private var proven: [Change] { get throws { try proven(try stranger) } }

    @Test("A wrong code counts, for the identifier and for the verification")
    func wrong() throws {
        let running = try TestApp.verification()
        var next = running
        next.checks = 1
        let decision = try check("wrong") { $0.verification = running }
        #expect(decision == Decision(.wrong, try counted(try stranger) + [.replaceVerification(running, with: next)]))
    }

    @Test("A correct code signs its active user in and is spent")
    func right() throws {
        let user = try TestApp.user([try TestApp.mail()])
        let checked = try TestApp.verification(checks: 1)
        let decision = try check("right") { facts in
            facts.verification = try TestApp.verification()
            facts.user = user
        }
        #expect(decision == Decision(.right(checked, user, isNew: false), try proven))
    }

    @Test("With a code_challenge a correct code is kept for its challenge, and gets the same answer again")
    func answered() throws {
        let user = try TestApp.user([try TestApp.mail()])
        let running = try TestApp.verification(checks: 2, codeChallenge: "pkce")
        let answered = running.answered(with: running.code, at: now)
        #expect(answered.isAnswered && answered.answeredAt == now && answered.checks == 2)
        let uncounted = try proven.filter { if case .deleteVerification = $0 { false } else { true } }
        for (current, kept) in [(running, answered), (answered, answered)] {
            let decision = try check("right") { facts in
                facts.verification = current
                facts.user = user
            }
            #expect(decision.outcome == .right(kept, user, isNew: false))
            #expect(decision.changes.contains(.replaceVerification(current, with: kept)))
            #expect(decision.changes.count == uncounted.count + 1)
            #expect(uncounted.allSatisfy(decision.changes.contains))
        }
    }

    @Test("A correct code that was answered belongs to a new user if it created the user, and to no other user")
    func answeredNewUser() throws {
        let running = try TestApp.verification(codeChallenge: "pkce")
        let answered = running.answered(with: running.code, at: now - 9)
        for (seconds, isNew) in [(9, true), (10, false), (8, false)] {
            let user = User(
                id: "usr_1", appID: try appID(), identifiers: [try TestApp.mail()], createdAt: now - seconds)
            let decision = try check("right") { facts in
                facts.verification = answered
                facts.user = user
            }
            #expect(decision.outcome == .right(answered, user, isNew: isNew))
        }
    }

    @Test("A wrong code after the correct one counts like any other, and an answered code ends with its challenge")
    func wrongAfterAnswer() throws {
        let running = try TestApp.verification(codeChallenge: "pkce")
        let answered = running.answered(with: running.code, at: now)
        var counted = answered
        counted.checks = 1
        let wrong = try check("wrong") { $0.verification = answered }
        #expect(
            wrong
                == Decision(
                    .wrong, try self.counted(try stranger) + [.replaceVerification(answered, with: counted)]))
        let old = running.answered(with: running.code, at: now - 300)
        #expect(try check("right") { $0.verification = old } == Decision(.unknown))
        counted.checks = 5
        #expect(try check("right") { $0.verification = counted } == Decision(.spent))
    }

    // Proves: O24
    @Test("A correct code for a held identifier clears nothing, for strangers and known devices alike (X1)")
    func held() throws {
        let mail = try TestApp.mail()
        for isKnown in [false, true] {
            let device = TestApp.device()
            for (seconds, isHeld) in [(1, true), (0, false)] {
                var user = try TestApp.user([mail])
                user.heldUntil[mail] = now + seconds
                let decision = try check("right", device: device) { facts in
                    facts.verification = try TestApp.verification()
                    facts.user = user
                    facts.deviceStanding = isKnown ? .known : .stranger
                }
                let owner = device.owner(of: mail, as: isKnown ? .known : .stranger)
                #expect(decision.changes == (try proven(owner, isHeld: isHeld)))
            }
        }
    }

    @Test("A code proves only the address that it was sent to, as the user has it (X4)")
    func otherSpelling() throws {
        let decision = try check("right") { facts in
            facts.verification = try TestApp.verification(of: try TestApp.mail("ADA@example.com"))
            facts.user = try TestApp.user([try TestApp.mail()])
        }
        let typed = try TestApp.verification(of: try TestApp.mail("ADA@example.com"))
        var checked = typed
        checked.checks = 1
        let changes = try counted(try stranger) + [.replaceVerification(typed, with: checked)]
        #expect(decision == Decision(.wrong, changes))
    }

    // Proves: O32
    @Test(
        "A correct code of a user that may not sign in is spent and says why, and a wrong one is a wrong one",
        arguments: [User.Status.inactive, .suspended])
    func inactive(status: User.Status) throws {
        func decide(_ hash: String, codeChallenge: String? = nil) throws -> Decision<CheckCodeOutcome> {
            try check(hash) { facts in
                facts.verification = try TestApp.verification(codeChallenge: codeChallenge)
                facts.user = try TestApp.user([try TestApp.mail()], status: status)
            }
        }
        #expect(try decide("right") == Decision(.inactive(status), try proven))
        #expect(try decide("wrong") == Decision(.wrong, try rejected))
        // A lost answer is repeated.
        let running = try TestApp.verification(codeChallenge: "pkce")
        let kept = running.answered(with: running.code, at: now)
        #expect(try decide("right", codeChallenge: "pkce").changes.contains(.replaceVerification(running, with: kept)))
    }

    @Test("A correct code creates a user if no user has the identifier and the app allows sign-up")
    func signUp() throws {
        let user = User(id: "usr_new", appID: try appID(), identifiers: [try TestApp.mail()], createdAt: now)
        let checked = try TestApp.verification(checks: 1)
        let created: [Change] = [
            .insertUser(user, passwordHash: nil), .insertIdentifier(try TestApp.mail(), of: user),
            .append(try TestApp.events().userCreated(user)),
        ]
        let decision = try check("right") { $0.verification = try TestApp.verification() }
        #expect(decision == Decision(.right(checked, user, isNew: true), try proven + created))
        let closed = try check("right", signUp: false) { $0.verification = try TestApp.verification() }
        #expect(closed == Decision(.wrong, try rejected))
    }

    @Test("At the limit of failures a code is not compared and nothing is written (O6)", arguments: ["right", "wrong"])
    func limited(hash: String) throws {
        let decision = try check(hash) { facts in
            facts.verification = try TestApp.verification()
            facts.failures.add(.exhausted(try hour(try stranger), until: now + 9))
        }
        #expect(decision == Decision(.limited(ReachedLimit(try hour(try stranger), until: now + 9))))
    }

    private func hour(_ owner: BudgetOwner) throws -> CounterKey { .failures(owner, .hour) }

    // Proves: O21
    @Test("A known device pays for its own user's identifiers, and for no others (X5)", arguments: ["right", "wrong"])
    func knownDevice(hash: String) throws {
        let device = TestApp.device()
        let owner = BudgetOwner.device(id: device.id, userID: device.userID)
        func facts(_ facts: inout FoundRows, isKnown: Bool) throws {
            facts.verification = try TestApp.verification()
            facts.user = try TestApp.user([try TestApp.mail()])
            facts.deviceStanding = isKnown ? .known : .stranger
            facts.failures.add(.exhausted(try hour(try stranger), until: now + 9))
        }
        let known = try check(hash, device: device) { try facts(&$0, isKnown: true) }
        let counted = try counted(owner)
        #expect(Array(known.changes.prefix(counted.count)) == counted)
        if hash == "right" { #expect(known.changes == (try proven(owner))) }
        let foreign = try check(hash, device: device) { try facts(&$0, isKnown: false) }
        #expect(foreign == Decision(.limited(ReachedLimit(try hour(try stranger), until: now + 9))))
    }

    // Proves: O21
    @Test("A former device pays from the budget of all former devices, and a success ends its streak only (X5)")
    func formerDevice() throws {
        let (mail, device) = (try TestApp.mail(), TestApp.device())
        let former = BudgetOwner.formerDevices(userID: "usr_1")
        let decision = try check("right", device: device) { facts in
            facts.verification = try TestApp.verification()
            facts.user = try TestApp.user([mail])
            facts.deviceStanding = .former
            facts.failures.add(.exhausted(try hour(try stranger), until: now + 9))
            facts.failures.add(.exhausted(try hour(device.owner(of: mail, as: .known)), until: now + 9))
        }
        let counters = CallBudget(.check, limits: LimitSettings(), device: device, now: now).failures(of: former)
        let streak = CounterKey.failures(former, .streak)
        #expect(
            decision.changes
                == (try TestApp.counted(counters)) + [.deleteVerification(try TestApp.verification())]
                + (try TestApp.cleared([streak])) + (try TestApp.uncounted(counters, without: [streak])))
    }

    @Test("Without attempts or without a verification nothing is counted")
    func uncounted() throws {
        #expect(try check("right") { $0.verification = try TestApp.verification(checks: 5) } == Decision(.spent))
        #expect(try check("right") { $0.verification = try TestApp.verification(expires: 0) } == Decision(.spent))
        #expect(try check("right") { _ in } == Decision(.unknown))
    }

    // Proves: O33
    @Test(
        "The last check of a code says that a new one is needed, and says it for every identifier that is rejected",
        arguments: [(0, CheckCodeOutcome.wrong), (3, .wrong), (4, .spent)])
    func lastCheck(checks: Int, expected: CheckCodeOutcome) throws {
        func outcome(_ hash: String, signUp: Bool = true, isSuppressed: Bool = false, _ user: User?) throws
            -> CheckCodeOutcome
        {
            try check(hash, signUp: signUp) { facts in
                facts.verification = try TestApp.verification(checks: checks, isSuppressed: isSuppressed)
                facts.user = user
            }.outcome
        }
        let known = try TestApp.user([try TestApp.mail()])
        #expect(try outcome("wrong", known) == expected)
        #expect(try outcome("wrong", nil) == expected)
        for hash in ["wrong", "right"] {
            #expect(try outcome(hash, signUp: false, nil) == expected)
            #expect(try outcome(hash, signUp: false, isSuppressed: true, nil) == expected)
            for status in [User.Status.inactive, .suspended] {
                if hash == "wrong" { #expect(try outcome(hash, try TestApp.user(status: status)) == expected) }
                #expect(try outcome(hash, isSuppressed: true, try TestApp.user(status: status)) == expected)
            }
        }
    }
}
