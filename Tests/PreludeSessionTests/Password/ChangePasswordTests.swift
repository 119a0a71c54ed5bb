import Foundation
import Testing

@testable import PreludeSession

@Suite("Changing the password")
struct ChangePasswordTests {
    private let path = "/me/password/reset"
    private let password = RedactedString("correct horse")

    @Test("the token at hand serves while it is good, though an early refresh would be due")
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

    @Test("afterwards the token that claims the spent scope is gone")
    func droppedToken() async throws {
        let fixture = try await ClientFixture(scope: "prld:pwd:write")
        let client = try fixture.client()
        await fixture.transport.answer(path, .success())
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        try await client.changePassword(password)
        #expect(try await !client.canChangePassword())
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
    }

    @Test("a refresh that fails afterwards is no failure; the next call fetches the token", arguments: [false, true])
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

    @Test("a refused access token is refreshed once and the call repeated")
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

    @Test("a password that is refused leaves the scope as it is")
    func refusedPassword() async throws {
        let fixture = try await ClientFixture(scope: "prld:pwd:write")
        let client = try fixture.client()
        await fixture.transport.answer(path, .errorResponse(400, "invalid_password"))
        #expect(try await failure { try await client.changePassword(password) } == "invalidPassword")
        #expect(try await client.canChangePassword())
        #expect(await fixture.transport.count("/refresh") == 0)
    }

    @Test("without the scope the server is asked, and says so", arguments: [nil, "prld:pwd:writer", "xprld:pwd:write"])
    func withoutScope(scope: String?) async throws {
        let fixture = try await ClientFixture(scope: scope)
        let client = try fixture.client()
        #expect(try await !client.canChangePassword())
        #expect(await fixture.transport.sent.isEmpty)
        await fixture.transport.answer(path, .errorResponse(403, "insufficient_scope"))
        #expect(try await failure { try await client.changePassword(password) } == "insufficientScope")
        #expect(await fixture.transport.count("/refresh") == 0)
    }

    @Test("a spent token says nothing: a new one does", arguments: [(nil, false), ("prld:pwd:write", true)])
    func spentToken(granted: String?, expected: Bool) async throws {
        let fixture = try await ClientFixture(scope: "prld:pwd:write")
        let client = try fixture.client()
        fixture.clock.advance(300)
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: granted))
        #expect(try await client.canChangePassword() == expected)
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test("a step-up that waits for its refresh is fetched first", arguments: [false, true])
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

    @Test("nobody can change a password without a session")
    func signedOut() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        #expect(try await failure { try await client.changePassword(password) } == "unauthorized")
        #expect(try await failure { _ = try await client.canChangePassword() } == "unauthorized")
        #expect(await fixture.transport.sent.isEmpty)
    }

    @Test("a scope that serves once survives calls on a token that lives short")
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
