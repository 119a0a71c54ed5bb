import Foundation
import Testing

@testable import PreludeSession

@Suite("Responses of a proxy in front of the service")
struct ProxyAnswerTests {
    @Test("A request with a gateway error is repeated once, like a lost response", arguments: [502, 503, 504])
    func repeated(status: Int) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        await fixture.transport.answer("/refresh", .proxyResponse(status), fixture.refreshed(1))
        #expect(try await client.refresh().profile.sessionID == "ses_1")
        #expect(
            await fixture.transport.requests("/refresh").map { $0.headers["x-refresh-token"] } == [
                "refresh-0", "refresh-0",
            ])
    }

    @Test("A request with a gateway error and Retry-After is not repeated at once", arguments: [429, 502, 503, 504])
    func waiting(status: Int) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        await fixture.transport.answer("/refresh", .proxyResponse(status, headers: ["retry-after": "30"]))
        let error = await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
        #expect(error?.retryAfter == 30)
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    // Proves: E6
    @Test(
        "A proxy's response ends no session, whatever its status",
        arguments: [400, 401, 403, 404, 407, 429, 500, 502, 503, 504, 511])
    func keepsSession(status: Int) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        await fixture.transport.answer("/refresh", .proxyResponse(status, headers: ["retry-after": "1"]))
        await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
        #expect(try await fixture.stored()?.refreshToken == "refresh-0")
        #expect(await client.profile?.sessionID == "ses_1")
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await client.refresh().profile.sessionID == "ses_1")
    }

    @Test("A proxy's response to a revocation keeps it for later", arguments: [429, 502, 503, 504])
    func logout(status: Int) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/revoke", .proxyResponse(status))
        try await client.logoutAndRevoke()
        await fixture.transport.answer("/revoke", .success())
        await client.engine.revocations.send().value
        #expect(
            await fixture.transport.requests("/revoke").map { $0.headers["x-refresh-token"] } == [
                "refresh-0", "refresh-0",
            ])
    }

    @Test("A page with status 200 is no response of the service, so the SDK does not report that a code was sent")
    func page() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        await fixture.transport.answer(
            "/otp", .success("<html>", headers: ["content-type": "text/html; charset=utf-8"]))
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.startOTPLogin(
                StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
        }
        #expect(error?.transportFailure?.cause == .invalidResponse)
    }

    @Test("A proxy's response to a login lets the same code sign in afterwards", arguments: [429, 502, 503, 504])
    func login(status: Int) async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        await fixture.transport.answer("/otp", .success(headers: ["x-verification-token": "v"]))
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
        await fixture.transport.answer("/otp/check", ClientFixture.next(TestToken.challenge("t0")))
        // A response that may be lost is requested again once.
        let answers = Array(repeating: ScriptedTransport.Answer.proxyResponse(status), count: status == 429 ? 1 : 2)
        for answer in answers + [fixture.refreshed(1)] { await fixture.transport.answer("/login/finalize", answer) }
        #expect(
            try await failure { _ = try await client.checkOTP("123456") } == (status == 429 ? "rateLimited" : "network")
        )
        #expect(try await client.checkOTP("123456").profile.sessionID == "ses_1")
        #expect(await fixture.transport.count("/otp/check") == 1)
    }

    @Test(
        "A proxy's response to a call is the error of that call",
        arguments: [(429, "rateLimited"), (502, "network"), (503, "network"), (504, "network")])
    func call(status: Int, expected: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/me/list", .proxyResponse(status))
        #expect(try await failure { _ = try await client.listSessions() } == expected)
        #expect(await fixture.transport.count("/me/list") == 1)
    }
}
