import Foundation
import Testing

@testable import PreludeSession

@Suite("Changing the password")
struct ChangePasswordTests {
    private let path = "/me/password/reset"
    private let password = RedactedString("correct horse")

    @Test("The current token is used while it is valid, although an early refresh would be due")
    func tokenAtHand() async throws {
        let fixture = try await ClientFixture(scope: "a prld:pwd:write")
        let client = try fixture.client()
        let token = try #require(await client.accessToken)
        fixture.clock.advance(299)
        #expect(try await client.canChangePassword())
        await fixture.transport.answer(path, .success())
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        try await client.changePassword(password)
        #expect(await fixture.transport.sent.map(\.path) == ["/v1/session" + path, "/v1/session/refresh"])
        let sent = try #require(await fixture.transport.requests(path).first)
        #expect(sent.headers["authorization"] == "Bearer " + token)
        #expect(sent.proof?["ath"] != nil)
        #expect(sent.body == ["password": .string("correct horse")])
    }

    @Test("After the change the token with the used scope is refreshed")
    func droppedToken() async throws {
        let fixture = try await ClientFixture(scope: "prld:pwd:write")
        let client = try fixture.client()
        await fixture.transport.answer(path, .success())
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        try await client.changePassword(password)
        #expect(try await !client.canChangePassword())
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
    }

    @Test("A failed refresh after the change is no error, and the next call refreshes", arguments: [false, true])
    func bestEffort(isOffline: Bool) async throws {
        let fixture = try await ClientFixture(scope: "prld:pwd:write")
        let client = try fixture.client()
        await fixture.transport.answer(path, .success())
        if isOffline {
            await fixture.transport.answer("/refresh", .offline, .offline)
        } else {
            await fixture.transport.answer("/refresh", .errorResponse(500, "internal"))
        }
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        try await client.changePassword(password)
        #expect(try await !client.canChangePassword())
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
    }

    @Test("A rejected access token is refreshed once and the password call repeated")
    func refusedToken() async throws {
        let fixture = try await ClientFixture(scope: "prld:pwd:write")
        let client = try fixture.client()
        await fixture.transport.answer(
            path, .errorResponse(401, "unauthorized"), .errorResponse(403, "insufficient_scope"))
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await failure { try await client.changePassword(password) } == "insufficientScope")
        #expect(await fixture.transport.count(path) == 2)
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test("A rejected password keeps the scope")
    func refusedPassword() async throws {
        let fixture = try await ClientFixture(scope: "prld:pwd:write")
        let client = try fixture.client()
        await fixture.transport.answer(path, .errorResponse(400, "invalid_password"))
        #expect(try await failure { try await client.changePassword(password) } == "invalidPassword")
        #expect(try await client.canChangePassword())
        #expect(await fixture.transport.count("/refresh") == 0)
    }

    @Test(
        "A call without the scope is sent and throws the server's error",
        arguments: [nil, "prld:pwd:writer", "xprld:pwd:write"])
    func withoutScope(scope: String?) async throws {
        let fixture = try await ClientFixture(scope: scope)
        let client = try fixture.client()
        #expect(try await !client.canChangePassword())
        #expect(await fixture.transport.sent.isEmpty)
        await fixture.transport.answer(path, .errorResponse(403, "insufficient_scope"))
        #expect(try await failure { try await client.changePassword(password) } == "insufficientScope")
        #expect(await fixture.transport.count("/refresh") == 0)
    }

    @Test("canChangePassword refreshes an expired token first", arguments: [(nil, false), ("prld:pwd:write", true)])
    func spentToken(granted: String?, expected: Bool) async throws {
        let fixture = try await ClientFixture(scope: "prld:pwd:write")
        let client = try fixture.client()
        fixture.clock.advance(300)
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: granted))
        #expect(try await client.canChangePassword() == expected)
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test("canChangePassword redeems a waiting step-up first", arguments: [false, true])
    func waitingStepUp(byAsking: Bool) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let completed = TestToken.challenge("t0", step: "completed", scope: "prld:pwd:write")
        await fixture.transport.answer("/refresh", .timeout, fixture.refreshed(1, scope: "prld:pwd:write"))
        #expect(try await failure { _ = try await fixture.challenge(of: client, completed) } == "timeout")
        if byAsking {
            #expect(try await client.canChangePassword())
        } else {
            await fixture.transport.answer(path, .success())
            await fixture.transport.answer("/refresh", fixture.refreshed(2))
            try await client.changePassword(password)
            let token = TestToken.access("access-1", scope: "prld:pwd:write", issuedAt: TestClock.start)
            #expect(await fixture.transport.requests(path)[0].headers["authorization"] == "Bearer " + token)
        }
        #expect(await fixture.transport.requests("/refresh")[1].text("step_up_token") == completed)
    }

    @Test("A password change without a session throws")
    func signedOut() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        #expect(try await failure { try await client.changePassword(password) } == "unauthorized")
        #expect(try await failure { _ = try await client.canChangePassword() } == "unauthorized")
        #expect(await fixture.transport.sent.isEmpty)
    }

    @Test("A single-use scope survives calls on a short-lived token")
    func shortToken() async throws {
        let fixture = try await ClientFixture(lifetime: 20)
        let client = try fixture.client()
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "prld:pwd:write", lifetime: 20))
        _ = try await fixture.challenge(of: client, TestToken.challenge("t0", step: "completed"))
        fixture.clock.advance(10)
        _ = try await client.refresh()
        #expect(try await client.canChangePassword())
        #expect(await fixture.transport.count("/refresh") == 1)
    }
}
