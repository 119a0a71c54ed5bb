import Foundation
import SessionRSA
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Delegation hook")
struct DelegationHookTests {
    private let url = "https://hooks.example.com/step-up?a=b"
    private let client = ClientFacts(ip: "203.0.113.7", userAgent: "App/1.0", platform: "ios", countryCode: "DE")

    private func ask(
        _ egress: FakeEgress, _ recorder: EventRecorder = EventRecorder(), metadata: [String: String]? = nil,
        hasHookKey: Bool = true, keys: KeyStore = KeyStore()
    ) async throws -> StepUpDecision {
        let hookKeys = HookKeys(store: keys, keys: TestApp.keys, directory: nil, environment: stillEnvironment)
        let hook = DelegationHook(
            call: HookCall(egress: egress, keys: hookKeys, environment: stillEnvironment),
            slots: .ofUsers(requests: 512), store: recorder, environment: stillEnvironment)
        return try await hook.ask(
            url, scope: "pay", metadata: try StepUpMetadata(metadata),
            caller: try TestApp.caller([try TestApp.mail("Ada@example.com")]),
            app: try TestApp.open(hasHookKey: hasHookKey),
            config: StepUpConfig(jwksURL: nil, stepKeys: ["kyc"], rules: [], at: now), client: client,
            now: now)
    }

    @Test("The hook gets one POST with user, scope and signals, limited to five seconds and 64 KiB")
    func request() async throws {
        let egress = FakeEgress(always: .success(try HookAnswerDraft().answer))
        _ = try await ask(egress, metadata: ["amount": "12"])
        #expect(egress.requests.count == 1)
        let request = try #require(egress.requests.first)
        #expect(request.method == .post)
        #expect(request.url == url)
        #expect(request.timeout == 5)
        #expect(request.maximumAnswer == 65_536)
        #expect(request.header("User-Agent") == "Prelude-SessionStepUpHook/1.0")
        #expect(request.header("Content-Type") == "application/json")
        let expected: JSONValue = .object([
            "scope_requested": "pay", "user_id": "usr_1",
            "identifiers": .array([.object(["type": "email_address", "value": "Ada@example.com"])]),
            "signals": .object(["user_agent": "App/1.0", "platform": "ios", "ip": "203.0.113.7"]),
            "metadata": .object(["amount": "12"]),
        ])
        #expect(try TokenJSON.decode(JSONValue.self, from: request.body) == expected)
    }

    @Test("Without metadata the body has no such member")
    func withoutMetadata() async throws {
        let egress = FakeEgress(always: .success(try HookAnswerDraft().answer))
        _ = try await ask(egress)
        let body = try TokenJSON.decode([String: JSONValue].self, from: try #require(egress.requests.first).body)
        #expect(body["metadata"] == nil)
        #expect(body.count == 4)
    }

    @Test("The raw body is signed with RSASSA-PSS by a key of jwks.json")
    func signature() async throws {
        let egress = FakeEgress(always: .success(try HookAnswerDraft().answer))
        _ = try await ask(egress)
        let request = try #require(egress.requests.first)
        let app = try TestApp.open()
        let key = try #require(app.hookKey)
        let signature = try #require(request.header("X-Webhook-Signature").flatMap { Base64URL.decode($0) })
        #expect(key.publicKey.isValidPSS(signature, for: request.body))
        #expect(!key.publicKey.isValidPSS(signature, for: request.body + Data(" ".utf8)))
        #expect(request.header("X-Webhook-Signature-Key-Id") == key.keyID)
        let published = try #require(app.publishedKeys.first { $0["kid"] == key.keyID })
        #expect(published["kty"] == "RSA")
        #expect(published["alg"] == "PS256")
    }

    @Test("A node without a loaded hook key signs with the stored one, and creates it only once")
    func storedKey() async throws {
        let egress = FakeEgress(always: .success(try HookAnswerDraft().answer))
        let keys = KeyStore()
        for _ in 0..<2 { _ = try await ask(egress, hasHookKey: false, keys: keys) }
        let stored = try await keys.signingKeys(of: try appID())
        #expect(stored.count == 1)
        #expect(egress.requests.map { $0.header("X-Webhook-Signature-Key-Id") } == [stored[0].keyID, stored[0].keyID])
        let key = try TestApp.keys.openHookKey(stored[0])
        let signature = try #require(
            egress.requests[1].header("X-Webhook-Signature").flatMap { Base64URL.decode($0) })
        #expect(key.publicKey.isValidPSS(signature, for: egress.requests[1].body))
    }

    @Test("A valid answer is the decision, and no event is stored")
    func decision() async throws {
        let recorder = EventRecorder()
        let egress = FakeEgress(always: .success(try HookAnswerDraft { $0.members = ["status": "block"] }.answer))
        #expect(try await ask(egress, recorder) == .block)
        #expect(recorder.events == [])
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: HookFailure
        let reply: FakeEgress.Reply
    }

    static let calls: [Row] =
        [
            EgressError.refusedURL("u"), .refusedAddress("a"), .cannotResolve("n"), .timedOut, .connectionFailed("c"),
        ].map { Row(testDescription: "\($0)", reason: .requestFailed, reply: .failure($0)) } + [
            Row(testDescription: "too large", reason: .responseDecodeFailed, reply: .failure(.answerTooLarge)),
            Row(testDescription: "redirect", reason: .invalidStatusCode, reply: .answer("", status: 302)),
            Row(
                testDescription: "a step that the user cannot do", reason: .invalidStep,
                reply: .answer(
                    #"{"status":"review","grant_mode":"single-use","steps":[{"order":1,"key":"verify_sms"}]}"#)),
            Row(
                testDescription: "a step that the app does not know", reason: .invalidStep,
                reply: .answer(#"{"status":"review","grant_mode":"single-use","steps":[{"order":1,"key":"call"}]}"#)),
        ]

    /// One answer for each failure of its content.
    static let answers: [Row] = HookAnswerTests.failures.compactMap { row in
        (try? row.draft.answer).map {
            Row(testDescription: row.testDescription, reason: row.failure, reply: .success($0))
        }
    }

    @Test("Every failure blocks the scope, with one event that contains the reason", arguments: calls + answers)
    func failure(row: Row) async throws {
        let recorder = EventRecorder()
        await #expect(throws: Refusal.authBlocked) { try await ask(FakeEgress(always: row.reply), recorder) }
        #expect(recorder.events.map(\.name) == [.stepUpHookFailed])
        let expected: [String: JSONValue] = [
            "user_id": "usr_1", "session_id": "ses_1", "scope": "pay", "reason": .string(row.reason.rawValue),
        ]
        #expect(recorder.events.first?.data == expected)
    }

    @Test("A failure blocks the scope even if its event cannot be stored")
    func brokenStore() async throws {
        await #expect(throws: StoreError.overloaded) {
            try await ask(.unreachable, EventRecorder(isBroken: true))
        }
    }
}
