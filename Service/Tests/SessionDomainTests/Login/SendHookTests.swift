import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Send hook")
struct SendHookTests {
    static func hook(_ egress: FakeEgress, _ store: EventRecorder) -> SendHook {
        let keys = HookKeys(store: KeyStore(), keys: TestApp.keys, directory: nil, environment: stillEnvironment)
        return SendHook(
            call: HookCall(egress: egress, keys: keys, environment: stillEnvironment), slots: .ofUsers(requests: 512),
            store: store, environment: stillEnvironment)
    }

    private func ask(
        _ egress: FakeEgress, _ recorder: EventRecorder = EventRecorder(), to identifier: CanonicalIdentifier? = nil,
        ifUnavailable: SendHookConfig.Fallback = .allow, isConfigured: Bool = true
    ) async throws -> LoginFailure? {
        let config = SendHookConfig(url: "https://hooks.example.com/send", ifUnavailable: ifUnavailable)
        let app = try TestApp.open(hasHookKey: true) { $0.otpLimits.sendHook = isConfigured ? config : nil }
        return try await Self.hook(egress, recorder).refusal(
            of: SendRequest(
                .login, to: try identifier ?? TestApp.mail("Ada@example.com"),
                client: ClientFacts(ip: "203.0.113.7", userAgent: "App/1.0", platform: "ios"), dispatchID: "dsp_1"),
            app: app)
    }

    private func body(to identifier: CanonicalIdentifier) async throws -> [String: JSONValue] {
        let egress = FakeEgress(always: .answer(#"{"decision":"allow"}"#))
        _ = try await ask(egress, to: identifier)
        return try TokenJSON.decode([String: JSONValue].self, from: try #require(egress.requests.first).body)
    }

    @Test("The hook gets one signed POST with identifier, signals and the id of the dispatch, limited to two seconds")
    func request() async throws {
        let egress = FakeEgress(always: .answer(#"{"decision":"allow"}"#))
        #expect(try await ask(egress) == nil)
        #expect(egress.requests.count == 1)
        let request = try #require(egress.requests.first)
        #expect(request.url == "https://hooks.example.com/send" && request.method == .post && request.timeout == 2)
        #expect(request.header("User-Agent") == "Prelude-SessionSendHook/1.0")
        #expect(request.header("X-Webhook-Signature-V2") != nil)
        let expected: JSONValue = .object([
            "purpose": "login", "is_resend": .bool(false), "dispatch_id": "dsp_1",
            "identifier": .object(["type": "email_address", "value": "Ada@example.com"]),
            "signals": .object(["user_agent": "App/1.0", "platform": "ios", "ip": "203.0.113.7"]),
        ])
        #expect(try TokenJSON.decode(JSONValue.self, from: request.body) == expected)
    }

    struct Number: Sendable {
        let number: String
        let facts: [String: JSONValue]
    }

    @Test(
        "A phone number is sent with what its beginning says",
        arguments: [
            Number(number: "+33612345678", facts: ["calling_code": "+33", "country": "FR", "line_type": "mobile"]),
            Number(number: "+33142685300", facts: ["calling_code": "+33", "country": "FR", "line_type": "other"]),
            Number(number: "+493012345678", facts: ["calling_code": "+49", "country": "DE"]),
            Number(number: "+14155550100", facts: ["calling_code": "+1"]),
        ])
    func numbers(row: Number) async throws {
        let sent = try await body(to: CanonicalIdentifier(type: "phone_number", value: row.number))["identifier"]
        var expected = row.facts
        (expected["type"], expected["value"]) = ("phone_number", .string(row.number))
        #expect(sent == .object(expected))
    }

    @Test(
        "The hook decides",
        arguments: [("allow", nil), ("deny", LoginFailure.sendDenied), ("other_channel", .otherChannel)])
    func decisions(decision: String, expected: LoginFailure?) async throws {
        let recorder = EventRecorder()
        let egress = FakeEgress(always: .answer(#"{"decision":"\#(decision)","why":"score 3"}"#, status: 201))
        #expect(try await ask(egress, recorder) == expected)
        #expect(recorder.events == [])
    }

    @Test(
        "Without a valid answer, the rule of the app decides, and an event has the reason",
        arguments: [
            (FakeEgress.Reply.failure(.timedOut), "request_failed"),
            (.failure(.answerTooLarge), "response_decode_failed"),
            (.answer("{}", status: 500), "invalid_status_code"), (.answer("yes"), "response_decode_failed"),
            (.answer("[]"), "invalid_response"), (.answer("{}"), "invalid_decision"),
            (.answer(#"{"decision":"maybe"}"#), "invalid_decision"),
            (.answer(#"{"decision":true}"#), "invalid_decision"),
        ])
    func failures(reply: FakeEgress.Reply, reason: String) async throws {
        for (rule, expected) in [(SendHookConfig.Fallback.allow, nil), (.deny, LoginFailure.sendDenied)] {
            let recorder = EventRecorder()
            #expect(try await ask(FakeEgress(always: reply), recorder, ifUnavailable: rule) == expected)
            #expect(recorder.events.map(\.name) == [.sendHookFailed])
            #expect(recorder.events.first?.data == ["reason": .string(reason)])
        }
    }

    @Test("A failure is reported once a minute: anybody can make calls")
    func reports() throws {
        let events = EventFactory(appID: try appID(), environment: stillEnvironment)
        let report = ReportSendHookFailure(.requestFailed, now: now, events: events)
        let changes = report.decide(FoundRows()).changes
        guard case .redeem(let key, let until, _)? = changes.first else {
            Issue.record("nothing says that it is reported")
            return
        }
        #expect(changes.count == 2 && until > now && until <= now + 60)
        #expect(report.decide(FoundRows { $0.failures.add(.taken(.redemption(key))) }).changes.isEmpty)
    }

    @Test("Without a hook, nobody is asked")
    func none() async throws {
        let egress = FakeEgress.unreachable
        #expect(try await ask(egress, isConfigured: false) == nil)
        #expect(egress.requests.isEmpty)
    }

    @Test("A refused code counts as the caller's own, and takes nothing of what all callers share")
    func counted() throws {
        let (phone, app) = (try TestApp.phone(), try appID())
        let budget = CallBudget(
            .start, limits: LimitSettings(), device: nil, networks: [CountedNetwork(digest: "net")], now: now)
        let events = EventFactory(appID: app, environment: stillEnvironment)
        let event = events.loginFailed(.sendDenied, .smsCode, of: LoginSubject(phone))
        let refused = CountRefusedSend(
            appID: app, budget: .init(budget, for: .identifier(phone)),
            counters: { budget.counters(for: phone, device: $0) }, event: event)
        func keys(_ facts: FoundRows) -> [CounterKey] {
            refused.decide(facts).changes.compactMap { if case .count(let key, _, _, _) = $0 { key } else { nil } }
        }
        let own = BudgetOwner.anonymous(phone)
        let all: [CounterKey] = [
            .starts(own), .sends(own, .hour), .sends(own, .day), .startsOfNetwork("net"),
        ]
        #expect(keys(FoundRows()) == all)
        #expect(keys(FoundRows { $0.failures.add(.exhausted(.starts(own), until: now + 1)) }).isEmpty)
        #expect(refused.decide(FoundRows()).changes.last == .append(event))
    }
}
