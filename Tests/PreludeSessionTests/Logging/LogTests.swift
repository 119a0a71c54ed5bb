import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import PreludeSession

@Suite("The log")
struct LogTests {
    /// Keeps all entries and renders them in every way.
    private final class Recorder: PreludeSessionLogHandler {
        private let kept = Mutex<[PreludeSessionLogEntry]>([])
        var entries: [PreludeSessionLogEntry] { kept.withLock { $0 } }
        var messages: [String] { entries.map(\.message) }

        func log(_ entry: PreludeSessionLogEntry) { kept.withLock { $0.append(entry) } }

        /// The default rendering.
        var text: String { Self.render(entries, \.description) }

        /// The rendering with identifiers and dumps.
        var revealedText: String { Self.render(entries, \.revealedDescription) }

        private static func render(
            _ entries: [PreludeSessionLogEntry], _ line: (PreludeSessionLogEntry) -> String
        ) -> String {
            var text = ""
            for entry in entries {
                text += line(entry) + "\n"
                dump(entry, to: &text)
                for attribute in entry.attributes {
                    text += "\(attribute) \(String(reflecting: attribute))\n"
                    dump(attribute, to: &text)
                }
            }
            return text
        }
    }

    private static let code = "483920"
    private static let password = "hunter2 hunter2"
    private static let address = "ada@example.com"

    /// Logs in with code and password, refreshes, steps up, changes the password, fails, and signs out.
    private func everything(_ recorder: Recorder) async throws -> ClientFixture {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client(log: recorder)
        let done = TestToken.challenge("t1", step: "completed", scope: "prld:pwd:write")
        let transport = fixture.transport
        await transport.answer("/otp", .success(headers: ["x-verification-token": "verification-secret"]))
        await transport.answer("/otp/check", ClientFixture.next(TestToken.challenge("t0")))
        await transport.answer(
            "/login/finalize", .errorResponse(400, "use_dpop_nonce", headers: ["dpop-nonce": "nonce-secret"]),
            fixture.refreshed(1), fixture.refreshed(2))
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: Self.address)))
        _ = try await client.checkOTP(Self.code)
        await transport.answer("/login/email/password", ClientFixture.next(TestToken.challenge("t2")))
        await transport.answer("/revoke", .success(), .offline)
        _ = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: Self.address, password: Self.password))
        await transport.answer(
            "/refresh", .offline, fixture.refreshed(3), fixture.refreshed(4, scope: "prld:pwd:write"))
        try await client.invalidateSession()
        try await client.refresh()
        let challenge = try await fixture.challenge(of: client)
        await transport.answer("/otp/check", ClientFixture.next(done))
        _ = try await client.submitStepUpOTP(challenge, code: Self.code)
        await transport.answer("/me/password/reset", .success())
        await transport.answer(
            "/refresh", fixture.refreshed(5), .errorResponse(429, "refresh-5"), .proxyResponse(503), .proxyResponse(503)
        )
        try await client.changePassword(RedactedString(Self.password))
        for _ in 1...2 {
            try await client.invalidateSession()
            _ = try await failure { try await client.refresh() }
        }
        await fixture.store.refuse(.growth)
        await transport.answer("/revoke", .errorResponse(401, "unauthorized"), .errorResponse(401, "unauthorized"))
        try await client.logoutAndRevoke()
        return fixture
    }

    // Proves: E13
    @Test("The log contains no token, code, password, key or address, however it is printed and revealed")
    func noSecrets() async throws {
        let recorder = Recorder()
        let fixture = try await everything(recorder)
        var secrets: Set<String> = [
            Self.code, Self.password, Self.address, "verification-secret", "nonce-secret",
            TestToken.challenge("t0"), TestToken.challenge("t1", step: "completed", scope: "prld:pwd:write"),
        ]
        for number in 1...5 { secrets.formUnion(["refresh-\(number)", "access-\(number)"]) }
        for sent in await fixture.transport.sent {
            for name in ["authorization", "dpop", "x-refresh-token", "x-verification-token"] {
                if let value = sent.headers[name] { secrets.formUnion(value.split(separator: " ").map(String.init)) }
            }
            for case .string(let value) in sent.body.values where value.count > 5 { secrets.insert(value) }
        }
        // The name of a step is no secret.
        secrets.subtract(["Bearer", "DPoP", "transfer:write"])
        let key = try #require(try await fixture.store.read(ClientFixture.name + ".key"))
        let record = try JSONDecoder().decode([String: PreludeJSONValue].self, from: key)
        secrets.insert(try #require(record["key"]?.stringValue))
        #expect(secrets.count > 25)
        let text = recorder.revealedText
        for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
    }

    // Proves: E13
    @Test("The log shows ids of users and devices only in revealed values")
    func identifiers() async throws {
        let recorder = Recorder()
        let fixture = try await everything(recorder)
        let device = try #require(await fixture.transport.sent.first?.headers["x-device-id"])
        for id in ["usr_1", "ses_1", device] { #expect(!recorder.text.contains(id), "\(id)") }
        #expect(recorder.text.contains("user=<redacted>"))
        #expect(recorder.revealedText.contains("user=usr_1 session=ses_1"))
    }

    @Test("The log contains requests, decisions, changes of the session and failures")
    func content() async throws {
        let recorder = Recorder()
        _ = try await everything(recorder)
        for message in [
            "a request is answered", "a request gets no answer", "repeats a request with the server's nonce",
            "signed in", "refreshes", "refreshed", "repeats a refresh", "a refresh failed",
            "the credential store failed", "signed out",
        ] {
            #expect(recorder.messages.contains(message), "\(message)")
        }
        #expect(recorder.text.contains("a request is answered method=POST path=/v1/session/refresh status=503 ms=0"))
        #expect(
            recorder.text.contains(
                "the credential store failed operation=write record=revocations error=storageUnavailable"))
        #expect(recorder.text.contains("signed out reason=logout"))
    }

    @Test("A log entry has the server's request id, and a code only if it looks like one")
    func request() async throws {
        let recorder = Recorder()
        let fixture = try await ClientFixture()
        let client = try fixture.client(log: recorder)
        await fixture.transport.answer(
            "/me/list", .errorResponse(403, "forbidden", headers: ["x-request-id": "req_9"]),
            .errorResponse(403, "ada@example.com"), .errorResponse(403, "123456"))
        for _ in 1...3 { _ = try await failure { _ = try await client.listSessions() } }
        let answers = recorder.entries.filter { $0.message == "a request is answered" }
        #expect(
            answers.map(\.description) == [
                "a request is answered method=GET path=/v1/session/me/list status=403 code=forbidden request_id=req_9 ms=0",
                "a request is answered method=GET path=/v1/session/me/list status=403 ms=0",
                "a request is answered method=GET path=/v1/session/me/list status=403 ms=0",
            ])
    }

    @Test(
        "A proof that is rejected for its URL is logged with both URLs, and with no text that a server could put there",
        arguments: [
            (
                "https://app1234.example.com/v1/session/me/list?a=secret#secret",
                "https://app1234.example.com/v1/session/me/list"
            ),
            ("https://app1234.example.com/secret", "https://app1234.example.com/…"), ("secret", nil),
        ] as [(String, String?)])
    func rejectedTarget(expected: String, shown: String?) async throws {
        let recorder = Recorder()
        let fixture = try await ClientFixture()
        let client = try fixture.client(log: recorder)
        await fixture.transport.answer(
            "/me/list",
            .errorBody(400, #"{"code":"invalid_dpop_proof","message":"m","expected_htu":"\#(expected)"}"#))
        #expect(try await failure { _ = try await client.listSessions() } == "unauthorized")
        let line =
            "the service rejects the URL of a proof method=GET signed=http://localhost:8080/v1/session/me/list"
            + (shown.map { " expected=" + $0 } ?? "")
        #expect(recorder.entries.filter { $0.level == .warning }.map(\.description) == [line])
        #expect(!recorder.revealedText.contains("secret"))
    }

    @Test("Seconds and milliseconds of centuries, which do not fit into 32 bits, are logged")
    func largeNumbers() {
        #expect(PreludeSessionLogAttribute.number("seconds", Int64(9e9)).value == "9000000000")
        #expect(PreludeSessionLogAttribute.milliseconds("ms", 9e9).value == "9000000000000")
    }

    // Proves: E1
    @Test("An error of a store is unavailable storage in the log, with a hidden text")
    func foreignError() async throws {
        let recorder = Recorder()
        var configuration = PreludeSessionClient.Configuration()
        configuration.credentialStore = FullDisk()
        configuration.logHandler = recorder
        let client = try PreludeSessionClient(configuration: configuration)
        #expect(try await failure { try await client.refresh() } == "storageUnavailable")
        #expect(recorder.text.contains("operation=read record=session error=Failure"))
        #expect(!recorder.revealedText.contains("secret"))
    }

    private struct FullDisk: PreludeCredentialStore {
        struct Failure: Error { let text = "a secret" }

        func read(_ name: String) throws -> Data? { throw Failure() }
        func write(_ data: Data, to name: String) throws { throw Failure() }
        func delete(_ name: String) throws { throw Failure() }
        func withLock<Answer: Sendable>(
            _ name: String, _ work: @Sendable () async throws -> Answer
        ) async throws -> Answer { try await work() }
    }
}
