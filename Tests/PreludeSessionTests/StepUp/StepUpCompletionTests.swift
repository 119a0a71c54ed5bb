import Foundation
import Testing

@testable import PreludeSession

@Suite("After the last step the session is refreshed with the challenge")
struct StepUpCompletionTests {
    private let completed = TestToken.challenge("t1", step: "completed")

    /// A fixture with a challenge whose next code completes it.
    private func ready() async throws -> (ClientFixture, PreludeSessionClient, StepUpChallenge) {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        await fixture.transport.answer("/otp/check", ClientFixture.next(completed))
        return (fixture, client, challenge)
    }

    private func grants(_ fixture: ClientFixture) async -> [String?] {
        await fixture.transport.requests("/refresh").map { $0.text("step_up_token") }
    }

    @Test("The refresh carries the challenge, and then the token carries the scope and no step-up is open")
    func completion() async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "transfer:write"))
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        let sent = try #require(await fixture.transport.requests("/refresh").first)
        #expect(sent.body == ["step_up_token": .string(completed)])
        #expect(sent.headers["x-refresh-token"] == "refresh-0")
        #expect(sent.proof != nil)
        #expect(await client.activeStepUp == nil)
        #expect(await client.profile?.extras["scope"] == .string("transfer:write"))
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
        #expect(try await fixture.store.read(ClientFixture.name + ".stepup") == nil)
        // The granted scope stays in the current token.
        _ = try await client.refresh()
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test("A step of the app's own completes a step-up the same way")
    func customStep() async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/stepup/continue", ClientFixture.next(completed))
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await client.continueStepUp(challenge, verificationToken: "v") == nil)
        #expect(await grants(fixture) == [completed])
    }

    @Test("A running refresh is waited for, and its token is used next")
    func afterPlainRefresh() async throws {
        let (fixture, client, challenge) = try await ready()
        let gate = Gate()
        await fixture.transport.answer("/refresh", .held(gate, fixture.refreshed(1)), fixture.refreshed(2))
        try await client.invalidateSession()
        let plain = Task { try await client.refresh() }
        await fixture.transport.arrival(of: "/refresh")
        let submit = Task { try await client.submitStepUpOTP(challenge, code: "123456") }
        await fixture.transport.arrival(of: "/otp/check")
        for _ in 0..<100 { await Task.yield() }
        #expect(await fixture.transport.count("/refresh") == 1)
        await gate.open()
        _ = try await plain.value
        #expect(try await submit.value == nil)
        #expect(await grants(fixture) == [nil, completed])
        let spent = await fixture.transport.requests("/refresh").map { $0.headers["x-refresh-token"] }
        #expect(spent == ["refresh-0", "refresh-1"])
    }

    @Test("A failed ordinary refresh does not drop the challenge")
    func afterFailedPlainRefresh() async throws {
        let (fixture, client, challenge) = try await ready()
        let gate = Gate()
        await fixture.transport.answer("/refresh", .held(gate, .timeout), fixture.refreshed(1))
        try await client.invalidateSession()
        let plain = Task { try await client.refresh() }
        await fixture.transport.arrival(of: "/refresh")
        let submit = Task { try await client.submitStepUpOTP(challenge, code: "123456") }
        await fixture.transport.arrival(of: "/otp/check")
        for _ in 0..<100 { await Task.yield() }
        await gate.open()
        #expect(try await failure { _ = try await plain.value } == "timeout")
        #expect(try await submit.value == nil)
        #expect(await grants(fixture) == [nil, completed])
    }

    @Test("Callers of refresh share the refresh with the challenge")
    func sharedRefresh() async throws {
        let (fixture, client, challenge) = try await ready()
        let gate = Gate()
        await fixture.transport.answer("/refresh", .held(gate, fixture.refreshed(1, scope: "transfer:write")))
        let submit = Task { try await client.submitStepUpOTP(challenge, code: "123456") }
        await fixture.transport.arrival(of: "/refresh")
        let callers = (0..<50).map { _ in Task { try await client.refresh().profile.extras["scope"] } }
        for _ in 0..<200 { await Task.yield() }
        await gate.open()
        #expect(try await submit.value == nil)
        for caller in callers { #expect(try await caller.value == .string("transfer:write")) }
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test("Two step-ups that complete at once are refreshed one after the other")
    func twoCompletions() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let one = try await fixture.challenge(of: client, TestToken.challenge("a0", attempt: "chl_a"))
        let other = try await fixture.challenge(of: client, TestToken.challenge("b0", attempt: "chl_b"))
        let gate = Gate()
        let tokens = ["a", "b"].map { TestToken.challenge("\($0)1", step: "completed", attempt: "chl_\($0)") }
        await fixture.transport.answer("/otp/check", ClientFixture.next(tokens[0]))
        await fixture.transport.answer("/stepup/continue", ClientFixture.next(tokens[1]))
        await fixture.transport.answer("/refresh", .held(gate, fixture.refreshed(1)), fixture.refreshed(2))
        let first = Task { try await client.submitStepUpOTP(one, code: "1") }
        await fixture.transport.arrival(of: "/refresh")
        let second = Task { try await client.continueStepUp(other, verificationToken: "v") }
        await fixture.transport.arrival(of: "/stepup/continue")
        for _ in 0..<100 { await Task.yield() }
        await gate.open()
        #expect(try await first.value == nil)
        #expect(try await second.value == nil)
        #expect(await grants(fixture) == tokens)
        #expect(
            await fixture.transport.requests("/refresh").map { $0.headers["x-refresh-token"] }
                == ["refresh-0", "refresh-1"])
    }

    @Test("A lost response is requested again with the challenge")
    func lostAnswer() async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .offline, fixture.refreshed(1))
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        let sent = await fixture.transport.requests("/refresh")
        #expect(sent.map { $0.text("step_up_token") } == [completed, completed])
        #expect(sent.map { $0.headers["x-refresh-token"] } == ["refresh-0", "refresh-0"])
        #expect(sent[0].proof?["jti"] != sent[1].proof?["jti"])
    }

    // MARK: When the refresh fails

    @Test(
        "Offline after the last step, the same call continues and does not send the code again")
    func resume() async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .offline, .offline, fixture.refreshed(1, scope: "transfer:write"))
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "network")
        #expect(await client.activeStepUp?.currentStep == "completed")
        #expect(await client.profile != nil)
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        #expect(await fixture.transport.count("/otp/check") == 1)
        #expect(await grants(fixture) == [completed, completed, completed])
        #expect(await client.activeStepUp == nil)
    }

    @Test("Another code does not continue a completed step-up")
    func resumeWithAnotherCode() async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .timeout)
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "timeout")
        await fixture.transport.answer("/otp/check", .errorResponse(409, "token_reused"))
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "654321") } == "tokenReused")
        #expect(await client.activeStepUp?.currentStep == "completed")
    }

    @Test("Offline after the last step, the next refresh fetches the scope although the token is valid")
    func nextRefreshBringsIt() async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .timeout, fixture.refreshed(1, scope: "transfer:write"))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "timeout")
        #expect(try await client.refresh().profile.extras["scope"] == .string("transfer:write"))
        #expect(await client.activeStepUp == nil)
        // A repeated call succeeds too.
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        #expect(await grants(fixture) == [completed, completed])
        #expect(await fixture.transport.count("/otp/check") == 1)
    }

    @Test("Offline after the last step and relaunched, the next refresh fetches the scope", arguments: [false, true])
    func relaunch(bySubmitting: Bool) async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .timeout, fixture.refreshed(1, scope: "transfer:write"))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "timeout")
        let launched = try fixture.client()
        let active = try #require(await launched.activeStepUp)
        #expect(active.currentStep == "completed")
        if bySubmitting {
            #expect(try await launched.submitStepUpOTP(active, code: "123456") == nil)
        } else {
            _ = try await launched.refresh()
        }
        #expect(await launched.profile?.extras["scope"] == .string("transfer:write"))
        #expect(await grants(fixture) == [completed, completed])
        #expect(await launched.activeStepUp == nil)
    }

    @Test("Tokens that could not be stored are requested again with the same refresh token and challenge")
    func storageFails() async throws {
        let (fixture, client, challenge) = try await ready()
        let store = fixture.store
        await fixture.transport.answer(
            "/refresh", .after({ await store.refuse(.writes) }, fixture.refreshed(1)), fixture.refreshed(1))
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") }
                == "storageUnavailable")
        #expect(await client.accessToken?.isEmpty == false)
        #expect(await client.profile?.extras["scope"] == nil)
        await store.refuse(.nothing)
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        let sent = await fixture.transport.requests("/refresh")
        #expect(sent.map { $0.text("step_up_token") } == [completed, completed])
        #expect(sent.map { $0.headers["x-refresh-token"] } == ["refresh-0", "refresh-0"])
    }

    @Test("An expired completed challenge is not sent")
    func expiredWhileWaiting() async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .timeout, fixture.refreshed(1))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "timeout")
        fixture.clock.advance(600)
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") }
                == "expiredChallengeToken")
        _ = try await client.refresh()
        #expect(await grants(fixture) == [completed, nil])
    }

    // MARK: When the challenge is rejected

    @Test(
        "A rejected challenge neither ends the session nor fails another refresh",
        arguments: [
            (401, "invalid_challenge_token", "invalidChallengeToken"),
            (401, "expired_challenge_token", "expiredChallengeToken"),
            (401, "missing_challenge_token", "missingChallengeToken"),
            (401, "token_mismatch", "invalidChallengeToken"), (409, "token_reused", "tokenReused"),
            (409, "step_not_completed", "invalidChallengeToken"), (409, "identifier_already_exists", "conflict"),
            (403, "forbidden", "forbidden"), (401, "a_code_of_tomorrow", "generic"),
        ])
    func refusedChallenge(status: Int, code: String, expected: String) async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .errorResponse(status, code))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == expected)
        #expect(await client.profile?.sessionID == "ses_1")
        #expect(try await fixture.stored()?.refreshToken == "refresh-0")
        #expect(await client.activeStepUp == nil)
        #expect(try await fixture.store.read(ClientFixture.name + ".stepup") == nil)
        // The current token stays valid and keeps its scopes.
        _ = try await client.refresh()
        #expect(await grants(fixture) == [completed])
        try await client.invalidateSession()
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        _ = try await client.refresh()
        #expect(await grants(fixture) == [completed, nil])
    }

    @Test("A caller that only shared the refresh does not get the rejected challenge's error")
    func refusalOfOthers() async throws {
        let (fixture, client, challenge) = try await ready()
        let gate = Gate()
        await fixture.transport.answer("/refresh", .held(gate, .errorResponse(409, "token_reused")))
        let submit = Task { try await client.submitStepUpOTP(challenge, code: "123456") }
        await fixture.transport.arrival(of: "/refresh")
        let sharer = Task { try await client.refresh() }
        for _ in 0..<100 { await Task.yield() }
        await gate.open()
        #expect(try await failure { _ = try await submit.value } == "tokenReused")
        #expect(try await sharer.value.profile.sessionID == "ses_1")
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test(
        "Neither a server error nor a proxy's response drops the challenge",
        arguments: [(429, "rateLimited"), (500, "generic"), (503, "network"), (403, "generic"), (404, "generic")])
    func passingTrouble(status: Int, expected: String) async throws {
        let (fixture, client, challenge) = try await ready()
        let noise = ScriptedTransport.Answer.proxyResponse(status, headers: ["retry-after": "1"])
        await fixture.transport.answer("/refresh", noise, fixture.refreshed(1))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == expected)
        #expect(await client.activeStepUp?.currentStep == "completed")
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        #expect(await grants(fixture) == [completed, completed])
    }

    @Test(
        "A rejected refresh ends the session, with or without a challenge",
        arguments: [("unauthorized", "unauthorized"), ("dpop_key_mismatch", "deviceKeyLost")])
    func endedSession(code: String, expected: String) async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .errorResponse(401, code))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == expected)
        #expect(await client.profile == nil)
        #expect(try await fixture.stored() == nil)
        #expect(try await fixture.store.read(ClientFixture.name + ".stepup") == nil)
    }

    @Test("A challenge is not sent for a session that another client stored instead")
    func replacedSession() async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .timeout)
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "timeout")
        try await fixture.signIn(session: "ses_2")
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") }
                == "invalidChallengeToken")
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test("A logout during the refresh leaves no session and no step-up")
    func logoutMeanwhile() async throws {
        let (fixture, client, challenge) = try await ready()
        let gate = Gate()
        await fixture.transport.answer("/revoke", .success())
        await fixture.transport.answer("/refresh", .held(gate, fixture.refreshed(1)))
        let submit = Task { try await client.submitStepUpOTP(challenge, code: "123456") }
        await fixture.transport.arrival(of: "/refresh")
        try await client.logout()
        await gate.open()
        #expect(try await failure { _ = try await submit.value } == "unauthorized")
        #expect(await client.profile == nil)
        #expect(try await fixture.stored() == nil)
        #expect(try await fixture.store.read(ClientFixture.name + ".stepup") == nil)
    }

    @Test("A server error at the challenge does not block a due refresh", arguments: [true, false])
    func failingChallenge(speaksProtocol: Bool) async throws {
        let (fixture, client, challenge) = try await ready()
        let failed: ScriptedTransport.Answer =
            speaksProtocol ? .errorResponse(500, "internal") : .proxyResponse(503, headers: ["retry-after": "1"])
        await fixture.transport.answer("/refresh", failed, failed, fixture.refreshed(1))
        let error = try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") }
        #expect(error == (speaksProtocol ? "internalServerError" : "network"))
        fixture.clock.advance(299)
        #expect(try await client.refresh().profile.sessionID == "ses_1")
        #expect(await grants(fixture) == [completed, completed, nil])
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
        // The challenge is kept.
        await fixture.transport.answer("/refresh", fixture.refreshed(2, scope: "transfer:write"))
        #expect(try await client.refresh().profile.extras["scope"] == .string("transfer:write"))
    }
}
