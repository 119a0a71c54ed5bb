import Foundation
import Synchronization
import Testing

@_spi(Service) @testable import PreludeSession

@Suite("The token of a known device")
struct TrustedDeviceTests {
    private static let header = "x-trusted-device"

    private func logIn(
        _ fixture: ClientFixture, _ client: PreludeSessionClient, gives token: String? = nil, number: Int = 1
    ) async throws {
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(TestToken.challenge("t\(number)", step: "completed")))
        guard case .success(let json, var headers) = fixture.refreshed(number) else { return }
        headers[Self.header] = token
        await fixture.transport.answer("/login/finalize", .success(json, headers: headers))
        _ = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "secret"))
    }

    private func startOTP(_ fixture: ClientFixture, _ client: PreludeSessionClient) async throws {
        await fixture.transport.answer("/otp", .success(headers: ["x-verification-token": "v"]))
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
    }

    private func sent(_ fixture: ClientFixture, _ path: String) async -> [String?] {
        await fixture.transport.requests(path).map { $0.headers[Self.header] }
    }

    // Proves: E7
    @Test("The token of a login is sent with the calls of the next login, and with no other call")
    func sent() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        try await logIn(fixture, client, gives: "device-1")
        try await startOTP(fixture, client)
        await fixture.transport.answer("/otp/retry", .success())
        try await client.resendOTP()
        await fixture.transport.answer("/otp/check", .errorResponse(401, "bad_check_code"))
        _ = try await failure { _ = try await client.checkOTP("000000") }
        for path in ["/otp", "/otp/retry", "/otp/check"] { #expect(await sent(fixture, path) == ["device-1"]) }
        #expect(await sent(fixture, "/login/email/password") == [nil])
        #expect(await sent(fixture, "/login/finalize") == [nil])
    }

    // Proves: E7
    @Test("It survives a logout and a relaunch, and the next login replaces it")
    func survives() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        try await logIn(fixture, client, gives: "device-1")
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        let relaunched = try fixture.client()
        try await logIn(fixture, relaunched, gives: "device-2", number: 2)
        // An older server sends no token. The last one stays.
        try await logIn(fixture, relaunched, number: 3)
        try await startOTP(fixture, relaunched)
        #expect(await sent(fixture, "/login/email/password") == [nil, "device-1", "device-2"])
        #expect(await sent(fixture, "/otp") == ["device-2"])
    }

    // Proves: E7
    @Test("The login of another user replaces the token, and no request after it contains the first user's")
    func otherUser() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        try await logIn(fixture, client, gives: "device-of-ada")
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        try await logIn(fixture, client, gives: "device-of-bob", number: 2)
        // Ada is a stranger on this device from here on, also after Bob's logout.
        let before = await fixture.transport.sent.count
        await fixture.transport.answer("/refresh", fixture.refreshed(3))
        fixture.clock.advance(3600)
        _ = try await client.refresh()
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        try await startOTP(fixture, client)
        try await logIn(fixture, try fixture.client(), number: 4)
        let requests = await fixture.transport.sent.dropFirst(before)
        #expect(
            requests.map(\.path) == [
                "/v1/session/refresh", "/v1/session/revoke", "/v1/session/otp", "/v1/session/login/email/password",
                "/v1/session/login/finalize",
            ])
        for request in requests {
            for (name, value) in request.headers {
                #expect(!value.contains("device-of-ada"), "\(name)")
                #expect(name.lowercased() != Self.header || value == "device-of-bob")
            }
        }
        let record = try #require(try await fixture.store.read(ClientFixture.name + ".trusted-device"))
        #expect(!String(decoding: record, as: UTF8.self).contains("device-of-ada"))
    }

    @Test("A damaged record is replaced, and one of a newer version is not sent and stays")
    func records() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let name = ClientFixture.name + ".trusted-device"
        for (number, (text, isKept)) in [("?", false), (#"{"version":2,"token":"new"}"#, true)].enumerated() {
            try await fixture.store.write(Data(text.utf8), to: name)
            let client = try fixture.client()
            try await logIn(fixture, client, gives: "device-1", number: number + 1)
            #expect((try await fixture.store.read(name) == Data(text.utf8)) == isKept)
        }
        #expect(await sent(fixture, "/login/email/password") == [nil, nil])
    }

    /// Refuses to write the record.
    private struct RefusingStore: PreludeCredentialStore {
        let inner: FaultyStore

        func read(_ name: String) async throws -> Data? { try await inner.read(name) }

        func write(_ data: Data, to name: String) async throws {
            guard !name.hasSuffix(".trusted-device") else { throw PreludeSessionError.storageUnavailable("full") }
            try await inner.write(data, to: name)
        }

        func delete(_ name: String) async throws { try await inner.delete(name) }

        func withLock<Answer: Sendable>(
            _ name: String, _ work: @Sendable () async throws -> Answer
        ) async throws -> Answer { try await inner.withLock(name, work) }
    }

    private final class Recorder: PreludeSessionLogHandler {
        private let lines = Mutex<[String]>([])
        var text: String { lines.withLock { $0.joined(separator: "\n") } }

        func log(_ entry: PreludeSessionLogEntry) { lines.withLock { $0.append(entry.revealedDescription) } }
    }

    // Proves: E13
    @Test("A store that refuses the token does not fail the login, and no log entry contains the token")
    func refused() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let (clock, randomness, log) = (fixture.clock, fixture.randomness, Recorder())
        var configuration = PreludeSessionClient.Configuration()
        configuration.credentialStore = RefusingStore(inner: fixture.store)
        configuration.transport = fixture.transport
        configuration.logHandler = log
        configuration.environment = SDKEnvironment(now: { clock.now }, randomBytes: { randomness.bytes($0) })
        let client = try PreludeSessionClient(configuration: configuration)
        try await logIn(fixture, client, gives: "device-secret")
        #expect(await client.sessionID == "ses_1")
        #expect(log.text.contains("the token of this device cannot be stored"))
        #expect(!log.text.contains("device-secret"))
    }
}
