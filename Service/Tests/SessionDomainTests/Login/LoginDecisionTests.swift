import SessionDomain
import Testing

@Suite("Logins with codes and passwords")
struct LoginDecisionTests {
    private func exhausted(_ key: CounterKey) -> FailedGuard { .exhausted(key, until: now + 77) }

    // Proves: O28
    @Test("A start is counted, and the code is suppressed for identifiers that no user has and none may get")
    func start() throws {
        let mail = try TestApp.mail()
        let budget = CallBudget(.start, limits: LimitSettings(), device: nil, now: now)
        let counters = budget.counters(for: mail, device: .stranger)
        let verifications = [false: try TestApp.verification("sent"), true: try TestApp.verification("suppressed")]
        let rows: [(status: User.Status?, signUp: Bool, isSuppressed: Bool)] = [
            (nil, true, false), (nil, false, true), (.active, true, false), (.active, false, false),
            // They get a code, so that the owner learns the status.
            (.inactive, true, false), (.suspended, true, false), (.suspended, false, false),
        ]
        for row in rows {
            let intent = StartVerification(
                appID: try appID(), identifier: mail, signUp: row.signUp, budget: budget,
                draft: TestApp.draft, now: now, verification: { verifications[$1]! })
            let expected = try #require(verifications[row.isSuppressed])
            let facts = try FoundRows { facts in
                facts.user = try row.status.map { try TestApp.user([mail], status: $0) }
            }
            let subject = LoginSubject(mail, userID: facts.user?.id)
            let withheld: LoginFailure? =
                row.isSuppressed ? .unknownUser : nil
            let message = TestApp.draft.code(of: expected, for: subject, withheld: withheld, at: now)
            // The same writes in all rows.
            #expect(
                intent.decide(facts)
                    == Decision(
                        .started(expected, message),
                        budget.counted(facts, for: mail, app: try appID()) + [
                            .insertVerification(expected), .insertMessage(message),
                        ]))
            for key in counters.map(\.key) {
                let limited = FoundRows { $0.failures.add(exhausted(key)) }
                #expect(intent.decide(limited) == Decision(.limited(ReachedLimit(key, until: now + 77))))
            }
        }
    }

    @Test("A code goes to the stored identifier of a known user, not to what was typed (X4)")
    func recipient() throws {
        let app = try appID()
        let (typed, stored) = (try TestApp.mail("ADA@example.com"), try TestApp.mail("Ada@Example.com"))
        for (user, recipient) in [(nil, typed), (try TestApp.user([try TestApp.phone(), stored]), stored)] {
            let intent = StartVerification(
                appID: app, identifier: typed, signUp: true,
                budget: CallBudget(.start, limits: LimitSettings(), device: nil, now: now), draft: TestApp.draft,
                now: now,
                verification: { recipient, _ in
                    Verification(
                        tokenHash: "token", appID: app, identifier: recipient, loginConfigID: "lcfg",
                        codeChallenge: nil, code: TestApp.code("right"), lastSentAt: now, createdAt: now)
                })
            let decision = intent.decide(FoundRows { $0.user = user })
            guard case .started(let verification, _) = decision.outcome,
                case .insertMessage(let message)? = decision.changes.last
            else {
                Issue.record("no code is sent")
                return
            }
            #expect(verification.identifier.value == recipient.value)
            #expect(message.recipient.value == recipient.value)
        }
    }

    @Test("A password attempt is counted before the hash is returned, for known and unknown identifiers")
    func passwordTry() throws {
        let (mail, user) = (try TestApp.mail(), try TestApp.user())
        let budget = CallBudget(.check, limits: LimitSettings(), device: nil, now: now)
        let intent = BeginPasswordTry(appID: try appID(), identifier: mail, budget: budget)
        let counters = budget.counters(for: mail, device: .stranger)
        let counted = try TestApp.counted(counters)
        #expect(intent.decide(FoundRows()) == Decision(.unknown, counted))
        let found = FoundRows { facts in
            facts.user = user
            facts.passwordHash = "hash"
        }
        #expect(intent.decide(found) == Decision(.found(user, passwordHash: "hash"), counted))
        #expect(intent.decide(FoundRows { $0.user = user }) == Decision(.found(user, passwordHash: nil), counted))
        for key in counters.map(\.key) {
            let limited = FoundRows { $0.failures.add(exhausted(key)) }
            #expect(intent.decide(limited) == Decision(.limited(ReachedLimit(key, until: now + 77))))
        }
    }

    // Proves: O29
    @Test("A resend replaces the running verification and queues a message, and a refusal writes nothing")
    func resend() throws {
        let intent = ResendCode(
            appID: try appID(), tokenHash: "token", limits: LimitSettings(), newCode: TestApp.code("new"),
            draft: TestApp.draft, now: now)
        let running = try TestApp.verification(sent: 30)
        guard
            case .send(let next) = running.resend(
                in: try appID(), newCode: TestApp.code("new"), limits: LimitSettings(), at: now)
        else {
            Issue.record("the code is not sent")
            return
        }
        let decision = intent.decide(FoundRows { $0.verification = running })
        let budget = CallBudget(.resend, limits: LimitSettings(), device: nil, now: now)
        let counters = budget.counters(for: running.identifier, device: .stranger)
        let written =
            budget.counted(FoundRows(), for: running.identifier, app: try appID())
            + [.replaceVerification(running, with: next), TestApp.queued(next)]
        #expect(decision == Decision(.send(next), written))
        let suppressed = try TestApp.verification(sent: 30, isSuppressed: true)
        let withheld = intent.decide(FoundRows { $0.verification = suppressed })
        guard case .send(let unsent) = withheld.outcome else {
            Issue.record("the resend of a suppressed verification is refused")
            return
        }
        #expect(withheld.changes.last == TestApp.queued(unsent, withheld: .codeNotSent))
        #expect(withheld.changes.count == decision.changes.count)
        for key in counters.map(\.key) {
            let spent = FoundRows { facts in
                facts.verification = running
                facts.failures.add(exhausted(key))
            }
            #expect(intent.decide(spent) == Decision(.exhausted(ReachedLimit(key, until: now + 77))))
        }
        let soon = try TestApp.verification(sent: 29)
        #expect(intent.decide(FoundRows { $0.verification = soon }) == Decision(.limited(until: now + 1)))
        #expect(intent.decide(FoundRows()) == Decision(.unknown))
    }
}
