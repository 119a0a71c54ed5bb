import Foundation
import Testing

@testable import PreludeSession

@Suite("Changing the password")
struct ChangePasswordTests {
    private let path = "/me/password/reset"
    private let password = RedactedString("correct horse")

    @Test("the token at hand serves while it is good, though an early refresh would be due")
    func tokenAtHand() async throws {
        let stage = try await Stage(scope: "a prld:pwd:write")
        let client = try stage.client()
        let token = try #require(await client.accessToken)
        stage.clock.advance(299)
        #expect(try await client.canChangePassword())
        await stage.transport.answer(path, .success())
        await stage.transport.answer("/refresh", stage.refreshed(1))
        try await client.changePassword(password)
        #expect(await stage.transport.sent.map(\.path) == ["/v1/session" + path, "/v1/session/refresh"])
        let sent = try #require(await stage.transport.requests(path).first)
        #expect(sent.headers["authorization"] == "Bearer " + token)
        #expect(sent.proof?["ath"] != nil)
        #expect(sent.body == ["password": .string("correct horse")])
    }

    @Test("afterwards the token that claims the spent scope is gone")
    func droppedToken() async throws {
        let stage = try await Stage(scope: "prld:pwd:write")
        let client = try stage.client()
        await stage.transport.answer(path, .success())
        await stage.transport.answer("/refresh", stage.refreshed(1))
        try await client.changePassword(password)
        #expect(try await !client.canChangePassword())
        #expect(try await stage.stored()?.refreshToken == "refresh-1")
    }

    @Test("a refresh that fails afterwards is no failure; the next call fetches the token", arguments: [false, true])
    func bestEffort(isOffline: Bool) async throws {
        let stage = try await Stage(scope: "prld:pwd:write")
        let client = try stage.client()
        await stage.transport.answer(path, .success())
        if isOffline {
            await stage.transport.answer("/refresh", .offline, .offline)
        } else {
            await stage.transport.answer("/refresh", .refusal(500, "internal"))
        }
        await stage.transport.answer("/refresh", stage.refreshed(1))
        try await client.changePassword(password)
        #expect(try await !client.canChangePassword())
        #expect(try await stage.stored()?.refreshToken == "refresh-1")
    }

    @Test("a refused access token is refreshed once and the call repeated")
    func refusedToken() async throws {
        let stage = try await Stage(scope: "prld:pwd:write")
        let client = try stage.client()
        await stage.transport.answer(path, .refusal(401, "unauthorized"), .refusal(403, "insufficient_scope"))
        await stage.transport.answer("/refresh", stage.refreshed(1))
        #expect(try await failure { try await client.changePassword(password) } == "insufficientScope")
        #expect(await stage.transport.count(path) == 2)
        #expect(await stage.transport.count("/refresh") == 1)
    }

    @Test("a password that is refused leaves the scope as it is")
    func refusedPassword() async throws {
        let stage = try await Stage(scope: "prld:pwd:write")
        let client = try stage.client()
        await stage.transport.answer(path, .refusal(400, "invalid_password"))
        #expect(try await failure { try await client.changePassword(password) } == "invalidPassword")
        #expect(try await client.canChangePassword())
        #expect(await stage.transport.count("/refresh") == 0)
    }

    @Test("without the scope the server is asked, and says so", arguments: [nil, "prld:pwd:writer", "xprld:pwd:write"])
    func withoutScope(scope: String?) async throws {
        let stage = try await Stage(scope: scope)
        let client = try stage.client()
        #expect(try await !client.canChangePassword())
        #expect(await stage.transport.sent.isEmpty)
        await stage.transport.answer(path, .refusal(403, "insufficient_scope"))
        #expect(try await failure { try await client.changePassword(password) } == "insufficientScope")
        #expect(await stage.transport.count("/refresh") == 0)
    }

    @Test("a spent token says nothing: a new one does", arguments: [(nil, false), ("prld:pwd:write", true)])
    func spentToken(granted: String?, expected: Bool) async throws {
        let stage = try await Stage(scope: "prld:pwd:write")
        let client = try stage.client()
        stage.clock.advance(300)
        await stage.transport.answer("/refresh", stage.refreshed(1, scope: granted))
        #expect(try await client.canChangePassword() == expected)
        #expect(await stage.transport.count("/refresh") == 1)
    }

    @Test("a step-up that waits for its refresh is fetched first", arguments: [false, true])
    func waitingStepUp(byAsking: Bool) async throws {
        let stage = try await Stage()
        let client = try stage.client()
        let completed = TestToken.challenge("t0", step: "completed", scope: "prld:pwd:write")
        await stage.transport.answer("/refresh", .timeout, stage.refreshed(1, scope: "prld:pwd:write"))
        #expect(try await failure { _ = try await stage.challenge(of: client, completed) } == "timeout")
        if byAsking {
            #expect(try await client.canChangePassword())
        } else {
            await stage.transport.answer(path, .success())
            await stage.transport.answer("/refresh", stage.refreshed(2))
            try await client.changePassword(password)
            let token = TestToken.access("access-1", scope: "prld:pwd:write", issuedAt: TestClock.start)
            #expect(await stage.transport.requests(path)[0].headers["authorization"] == "Bearer " + token)
        }
        #expect(await stage.transport.requests("/refresh")[1].text("step_up_token") == completed)
    }

    @Test("nobody can change a password without a session")
    func signedOut() async throws {
        let stage = try await Stage(signedIn: false)
        let client = try stage.client()
        #expect(try await failure { try await client.changePassword(password) } == "unauthorized")
        #expect(try await failure { _ = try await client.canChangePassword() } == "unauthorized")
        #expect(await stage.transport.sent.isEmpty)
    }

    @Test("a scope that serves once survives calls on a token that lives short")
    func shortToken() async throws {
        let stage = try await Stage(lifetime: 20)
        let client = try stage.client()
        await stage.transport.answer("/refresh", stage.refreshed(1, scope: "prld:pwd:write", lifetime: 20))
        _ = try await stage.challenge(of: client, TestToken.challenge("t0", step: "completed"))
        stage.clock.advance(10)
        _ = try await client.refresh()
        #expect(try await client.canChangePassword())
        #expect(await stage.transport.count("/refresh") == 1)
    }
}
