import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Events of messages")
struct MessageEventTests {
    private static let accepted = MessageAttempt.routed(.accepted(by: "smtp", reference: "ref"))
    private static let failed = MessageAttempt.undeliverable(
        MessageFailure(route: "smtp", stage: "sender", reason: "no such sender"))

    private func event(_ attempt: MessageAttempt, _ message: QueuedMessage) throws -> Event? {
        let record = RecordAttempt(attempt, of: message, now: now, events: try TestApp.events())
        return record.decide(FoundRows { $0.message = message }).changes.compactMap {
            if case .append(let event) = $0 { event } else { nil }
        }.first
    }

    private let about: [String: JSONValue] = [
        "purpose": "login", "channel": "email", "identifier": "a***@example.com", "user_id": "usr_1",
        "session_id": "ses_1", "message_id": "msg_1",
    ]

    @Test("A code that a route took is reported with the route")
    func sent() throws {
        let event = try event(Self.accepted, try TestApp.message())
        #expect(event?.name.rawValue == "code.sent")
        #expect(event?.data == about.merging(["route": "smtp", "reference": "ref"]) { $1 })
    }

    @Test("A code that no route took is reported with the route's reason, and a failed attempt is not")
    func failed() throws {
        let event = try event(Self.failed, try TestApp.message { $0.attempts = 3 })
        #expect(event?.name.rawValue == "code.failed")
        let reason: [String: JSONValue] = [
            "route": "smtp", "stage": "sender", "reason": "no such sender", "attempts": .int(3),
        ]
        #expect(event?.data == about.merging(reason) { $1 })
        let again = MessageAttempt.routed(
            .failed(
                MessageFailure(route: "smtp", stage: "sender", reason: "later"), isRejected: false, isFinal: false,
                route: 0, of: 1))
        #expect(try self.event(again, try TestApp.message()) == nil)
    }

    @Test(
        "Each purpose has its name, and notices have events of their own",
        arguments: [
            (MessagePurpose.signIn, "login", "code.sent", "code.failed"),
            (.stepUp, "step_up", "code.sent", "code.failed"), (.newIdentifier, "register", "code.sent", "code.failed"),
            (.notice, "notice", "notice.sent", "notice.failed"),
        ])
    func purposes(purpose: MessagePurpose, name: String, sent: String, failed: String) throws {
        let message = try TestApp.message(purpose: purpose)
        #expect(try event(Self.accepted, message)?.name.rawValue == sent)
        #expect(try event(Self.failed, message)?.name.rawValue == failed)
        #expect(try event(Self.failed, message)?.data["purpose"] == .string(name))
    }

    @Test(
        "A withheld code is reported as a failed login, with its reason",
        arguments: [LoginFailure.unknownUser, .codeNotSent])
    func withheld(reason: LoginFailure) throws {
        let event = try event(.withheld, try TestApp.message(withheld: reason))
        #expect(event?.name == .loginFailed)
        #expect(event?.data["reason"] == .string(reason.rawValue))
        #expect(event?.data["method"] == "otp_email")
        #expect(event?.data["identifier"] == "a***@example.com")
    }

    @Test("The code of a step-up names its session and what it is for", arguments: [true, false])
    func draft(isRegistering: Bool) throws {
        let phone = try TestApp.phone()
        let challenge = try TestApp.challenge(
            step: isRegistering ? StepUpStep.verifySMS : StepUpStep.verifyEmail,
            newIdentifier: isRegistering ? phone : nil)
        let identifier = isRegistering ? phone : try TestApp.mail()
        let message = TestApp.draft.code(
            of: try TestApp.verification(of: identifier), for: LoginSubject(identifier, of: challenge), at: now)
        #expect(message.content.purpose == (isRegistering ? .newIdentifier : .stepUp))
        #expect(message.channel == (isRegistering ? .sms : .email))
        #expect(message.content.sessionID == "ses_1" && message.content.userID == "usr_1")
        #expect(message.content.locales == ["fr"] && message.context.requestID == "req_1")
    }

    // Proves: O29
    @Test("A spent budget is reported and counted once, however often it stops a call")
    func budget() throws {
        let (mail, observer) = (try TestApp.mail(), RecordingObserver())
        let budget = CallBudget(.start, limits: LimitSettings(), device: nil, now: now)
        let verification = try TestApp.verification()
        let intent = StartVerification(
            appID: try appID(), identifier: mail, signUp: true, budget: budget, draft: TestApp.draft, now: now,
            events: try TestApp.events()
        ) { _, _ in verification }
        let codes = CodeSender(
            keys: TestApp.keys, routes: FixedRoutes([]), environment: stillEnvironment.observed(by: observer),
            worker: try MessageOutboxTests().worker(PlayedMessages([]), []),
            hook: SendHookTests.hook(.unreachable, EventRecorder()), store: EventRecorder())
        var taken: [FailedGuard] = []
        var events = 0
        for _ in 0..<5 {
            let decision = intent.decide(
                FoundRows { facts in
                    facts.failures.add(.exhausted(.sends(.anonymous(mail), .day), until: now + 9))
                    for failure in taken { facts.failures.add(failure) }
                })
            guard case .limited(let limit) = decision.outcome else {
                Issue.record("the budget is not spent")
                return
            }
            #expect(codes.refusal(limit, now: now) == .rateLimited(retryAfter: 9))
            for change in decision.changes {
                switch change {
                case .redeem(let key, _, _): taken.append(.taken(.redemption(key)))
                case .append: events += 1
                default: Issue.record("a limited call writes \(change)")
                }
            }
        }
        #expect(events == 1)
        #expect(observer.texts("budgetSpent") == ["budgetSpent(SessionDomain.LimitName.sendsDay)"])
        #expect(observer.texts("limitReached").count == 5)
    }
}
