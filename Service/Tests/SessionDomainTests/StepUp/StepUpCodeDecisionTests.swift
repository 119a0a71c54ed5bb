import Testing

@testable import SessionDomain

@Suite("What the code of a step writes")
struct StepUpCodeDecisionTests {
    private static let key = "step/chg_1/0"

    private func facts(_ challenge: StepUpChallenge, _ fill: (inout FoundRows) throws -> Void = { _ in }) throws
        -> FoundRows
    {
        try FoundRows { facts in
            facts.challenge = challenge
            facts.session = try TestApp.session()
            facts.user = try TestApp.user([try TestApp.mail()])
            facts.verification = try TestApp.verification(Self.key)
            try fill(&facts)
        }
    }

    private func check(_ hash: String, _ facts: FoundRows, hold: Int = 0) throws -> Decision<StepOutcome> {
        CheckStepUpCode(
            appID: try appID(), reference: TestApp.reference, codeHashes: { _ in [hash] }, limits: LimitSettings(),
            hold: hold, nextTokenID: "chl_2", now: now, events: try TestApp.events()
        ).decide(facts).withoutReports
    }

    private static let session = BudgetOwner.session(id: "ses_1", userID: "usr_1")
    private static let budget = CallBudget(.check, limits: LimitSettings(), device: nil, now: now)

    private func counted(adding new: CanonicalIdentifier? = nil) throws -> [Change] {
        try TestApp.counted(owners(new).flatMap(Self.budget.failures))
    }

    /// Who pays for an attempt.
    private func owners(_ new: CanonicalIdentifier?) -> [BudgetOwner] {
        [Self.session] + (new.map { [.anonymous($0)] } ?? [])
    }

    /// The changes of a correct code. For an identifier that the user does not have, nothing is cleared.
    private func spent(adding new: CanonicalIdentifier? = nil) throws -> [Change] {
        let cleared = new == nil ? Self.session.clearedBySuccess(of: try TestApp.mail()) : []
        return try counted(adding: new) + [.deleteVerification(try TestApp.verification(Self.key))]
            + TestApp.cleared(cleared)
            + TestApp.uncounted(owners(new).flatMap(Self.budget.failures), without: cleared)
    }

    @Test("A wrong code counts for session, verification and challenge")
    func wrong() throws {
        let challenge = try TestApp.challenge()
        #expect(
            try check("wrong", try facts(challenge))
                == Decision(
                    .wrong,
                    try counted() + [
                        .replaceVerification(
                            try TestApp.verification(Self.key), with: try TestApp.verification(Self.key, checks: 1)),
                        .replaceChallenge(challenge, with: try TestApp.challenge(wrongCodes: 1)),
                    ]))
    }

    // Proves: O33
    @Test(
        "The last check of a code or of its challenge says that a new code is needed",
        arguments: [(0, 0, StepOutcome.wrong), (3, 3, .wrong), (4, 0, .spent), (0, 4, .spent), (4, 4, .spent)])
    func lastCheck(checks: Int, wrongCodes: Int, expected: StepOutcome) throws {
        let facts = try facts(try TestApp.challenge(wrongCodes: wrongCodes)) {
            $0.verification = try TestApp.verification(Self.key, checks: checks)
        }
        #expect(try check("wrong", facts).outcome == expected)
    }

    @Test("A correct code is spent and advances the challenge")
    func right() throws {
        let challenge = try TestApp.challenge(wrongCodes: 4)
        let next = challenge.advanced(tokenID: "chl_2", at: now)
        #expect(
            try check("right", try facts(challenge))
                == Decision(.advanced(next), try spent() + [.replaceChallenge(challenge, with: next)]))
    }

    @Test("A correct code for a held identifier clears no failures of the session (X1)")
    func held() throws {
        let (challenge, mail) = (try TestApp.challenge(), try TestApp.mail())
        let counters = Self.budget.failures(of: Self.session)
        for (seconds, cleared) in [(1, []), (0, Self.session.clearedBySuccess(of: mail))] {
            let decision = try check("right", try facts(challenge) { $0.user?.heldUntil[mail] = now + seconds })
            let written =
                try counted() + [.deleteVerification(try TestApp.verification(Self.key))]
                + TestApp.cleared(cleared) + TestApp.uncounted(counters, without: cleared)
            #expect(Array(decision.changes.prefix(written.count)) == written)
        }
    }

    @Test("A correct code adds the identifier that it proves and then clears no failures, unless the user has it")
    func newIdentifier() throws {
        let phone = try TestApp.phone()
        let challenge = try TestApp.challenge(newIdentifier: phone)
        let next = challenge.advanced(tokenID: "chl_2", at: now)
        let user = try TestApp.user([try TestApp.mail()])
        var extended = user
        extended.identifiers.append(phone)
        extended.updatedAt = now
        #expect(
            try check("right", try facts(challenge))
                == Decision(
                    .advanced(next),
                    try spent(adding: phone) + [
                        .insertIdentifier(phone, of: user), .replaceUser(user, with: extended),
                        .append(try TestApp.events().identifierCreated(phone, of: user.id)),
                        .replaceChallenge(challenge, with: next),
                    ]))
        #expect(
            try check("right", try facts(challenge) { $0.user = extended })
                == Decision(.advanced(next), try spent() + [.replaceChallenge(challenge, with: next)]))
    }

    @Test("The identifier of a registration is added by its last step only, and held from then on (X1)")
    func registration() throws {
        let phone = try TestApp.phone()
        let user = try TestApp.user([try TestApp.mail()])
        let challenge = StepUpChallenge(
            id: "chg_1", appID: try appID(), userID: "usr_1", sessionID: "ses_1", scope: ReservedScope.registerPhone,
            terms: GrantTerms(mode: .singleUse, grantedFor: 0),
            steps: [StepUpStep.verifyEmail, StepUpStep.verifySMS].enumerated().map { index, key in
                StepUpStep(order: index + 1, key: key, expirationDuration: 60)
            }, newIdentifier: phone, createdAt: now, tokenID: "chl_1", expiresAt: now + 50)
        let confirmed = challenge.advanced(tokenID: "chl_2", at: now)
        #expect(
            try check("right", try facts(challenge), hold: 60)
                == Decision(.advanced(confirmed), try spent() + [.replaceChallenge(challenge, with: confirmed)]))
        let last = challenge.advanced(tokenID: "chl_1", at: now)
        var extended = user
        extended.identifiers.append(phone)
        extended.heldUntil = [phone: now + 60]
        extended.updatedAt = now
        let changes = try check("right", try facts(last), hold: 60).changes
        #expect(changes.contains(.insertIdentifier(phone, of: user, heldUntil: now + 60)))
        #expect(changes.contains(.replaceUser(user, with: extended)))
        let free = try check("right", try facts(last), hold: 0).changes
        #expect(free.contains(.insertIdentifier(phone, of: user)))
    }

    @Test("An identifier that another user took in the meantime ends the challenge, and the code is spent")
    func takenIdentifier() throws {
        let phone = try TestApp.phone()
        let challenge = try TestApp.challenge(newIdentifier: phone)
        #expect(
            try check("right", try facts(challenge) { $0.failures.add(.taken(.identifier(phone))) })
                == Decision(.identifierTaken, try spent(adding: phone) + [.deleteChallenge(challenge)]))
    }

    @Test("A user with 10 identifiers gets no eleventh, and the attempt counts")
    func fullUser() throws {
        let challenge = try TestApp.challenge(newIdentifier: try TestApp.mail())
        let numbers = try (0..<10).map { try TestApp.phone("+1415555010\($0)") }
        var counted = challenge
        counted.wrongCodes = 1
        #expect(
            try check("right", try facts(challenge) { $0.user = try TestApp.user(numbers) })
                == Decision(
                    .refused(.identifiersFull),
                    try spent(adding: try TestApp.mail()) + [.replaceChallenge(challenge, with: counted)]))
    }

    @Test("At the limit, without a running code, or without the right to do the step, nothing is written")
    func nothing() throws {
        let challenge = try TestApp.challenge()
        let hour = CounterKey.failures(Self.session, .hour)
        let limited = try facts(challenge) { $0.failures.add(.exhausted(hour, until: now + 9)) }
        #expect(try check("right", limited) == Decision(.limited(ReachedLimit(hour, until: now + 9))))
        // What strangers did at the identifier does not matter.
        let stranger = CounterKey.failures(.anonymous(try TestApp.mail()), .hour)
        let besieged = try facts(challenge) { $0.failures.add(.exhausted(stranger, until: now + 9)) }
        #expect(try check("right", besieged).changes.isEmpty == false)
        #expect(try check("right", try facts(challenge) { $0.verification = nil }) == Decision(.spent))
        let used = try facts(challenge) { $0.verification = try TestApp.verification(Self.key, checks: 5) }
        #expect(try check("right", used) == Decision(.spent))
        let ended = try facts(challenge) { $0.session = try TestApp.session(revokedAt: now) }
        #expect(try check("right", ended) == Decision(.refused(.invalidChallenge)))
        #expect(try check("right", FoundRows()) == Decision(.refused(.invalidChallenge)))
    }

    private func send(_ facts: FoundRows) throws -> Decision<SendStepUpOutcome> {
        SendStepUpCode(
            appID: try appID(), reference: TestApp.reference, limits: LimitSettings(), now: now, draft: TestApp.draft,
            code: { TestApp.code("new", of: $0) }
        ).decide(facts)
    }

    private func first() throws -> Verification {
        Verification(
            tokenHash: Self.key, appID: try appID(), identifier: try TestApp.mail(), loginConfigID: "",
            codeChallenge: nil, code: TestApp.code("new", of: Self.key), lastSentAt: now, createdAt: now)
    }

    @Test("A first code counts a start and replaces an expired verification; a further code counts none")
    func sent() throws {
        let (challenge, first) = (try TestApp.challenge(), try first())
        let subject = LoginSubject(first.identifier, of: challenge)
        let queued = TestApp.queued(first, for: subject)
        let starts = CounterKey.starts(Self.session)
        let paid = Self.budget.sends(of: Self.session, to: try TestApp.mail())
        let sends = try TestApp.counted(paid)
        let start = Self.budget.counter(starts, LimitSettings().starts)
        let counted = try TestApp.counted([start]) + sends
        // What a send hook refuses counts all of these but the totals: also those of all sessions, and of the destination.
        let outcome = SendStepUpOutcome.send(first, .stepUp, counted: [start] + paid)
        #expect(
            try send(try facts(challenge) { $0.verification = nil })
                == Decision(outcome, counted + [.insertVerification(first), queued]))
        let expired = try TestApp.verification(Self.key, sent: 600, expires: 0)
        #expect(
            try send(try facts(challenge) { $0.verification = expired })
                == Decision(outcome, counted + [.deleteVerification(expired), .insertVerification(first), queued]))
        let limited = try facts(challenge) { facts in
            facts.verification = nil
            facts.failures.add(.exhausted(starts, until: now + 9))
        }
        #expect(try send(limited) == Decision(.exhausted(ReachedLimit(starts, until: now + 9))))
        let running = try TestApp.verification(Self.key, sent: 30)
        let resent = try send(try facts(challenge) { $0.verification = running })
        guard case .send(let next, _, paid) = resent.outcome else {
            Issue.record("the code is not sent again")
            return
        }
        #expect(
            resent.changes
                == sends + [.replaceVerification(running, with: next), TestApp.queued(next, for: subject)])
        #expect(next.sends == 2)
    }

    // Proves: H19
    @Test("A code to an identifier that a step adds takes the share of strangers, of app, country and range")
    func share() throws {
        let phone = try TestApp.phone()
        let shared: [CounterKey] = [.sendsOfApp, .sendsToCallingCode("+1"), .sendsToNumberRange("+1415")]
        func limits(_ challenge: StepUpChallenge, of user: User) throws -> [Int] {
            let decision = try send(
                try facts(challenge) { facts in
                    facts.verification = nil
                    facts.user = user
                })
            return decision.changes.compactMap { change in
                guard case .count(let key, _, let limit, _) = change, shared.contains(key) else { return nil }
                return limit.limit
            }
        }
        let user = try TestApp.user([try TestApp.mail()])
        let adding = try TestApp.challenge(step: StepUpStep.verifySMS, newIdentifier: phone)
        #expect(try limits(adding, of: user) == [6000, 1200, 300])
        let owner = try TestApp.user([try TestApp.mail(), phone])
        #expect(try limits(try TestApp.challenge(step: StepUpStep.verifySMS), of: owner) == [8000, 1600, 400])
    }

    @Test("A code goes to the identifier to add, else to the first of the user that fits the step and is not held")
    func recipient() throws {
        let phone = try TestApp.phone()
        let sms = try TestApp.challenge(step: StepUpStep.verifySMS)
        let without = try facts(sms) { $0.verification = nil }
        #expect(try send(without) == Decision(.refused(.scopeIdentifierMismatch)))
        let fitting = try send(
            try facts(sms) { facts in
                facts.user = try TestApp.user([try TestApp.mail(), phone])
                facts.verification = nil
            })
        let first = Verification(
            tokenHash: Self.key, appID: try appID(), identifier: phone, loginConfigID: "", codeChallenge: nil,
            code: TestApp.code("new", of: Self.key), lastSentAt: now, createdAt: now)
        let start = Self.budget.counter(.starts(Self.session), LimitSettings().starts)
        #expect(
            fitting.outcome
                == .send(first, .stepUp, counted: [start] + Self.budget.sends(of: Self.session, to: phone)))
        let held = try facts(sms) { facts in
            facts.user = try TestApp.user([phone])
            facts.user?.heldUntil = [phone: now + 1]
            facts.verification = nil
        }
        #expect(try send(held) == Decision(.refused(.scopeIdentifierMismatch)))
        let adding = try TestApp.challenge(step: StepUpStep.verifySMS, newIdentifier: phone)
        let added = try send(try facts(adding) { $0.verification = nil })
        let stranger = Self.budget.sends(of: .anonymous(phone))
        #expect(added.changes.contains(try TestApp.counted(stranger)[0]))
        #expect(try send(try facts(try TestApp.challenge(step: "kyc"))) == Decision(.refused(.stepNotFound)))
    }
}
