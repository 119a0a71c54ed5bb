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

    @Test("the refresh bears the challenge; afterwards the token carries the scope and nothing is open")
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
        // What was granted stays at hand.
        _ = try await client.refresh()
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test("a step of the app's own completes the same way")
    func customStep() async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/stepup/continue", ClientFixture.next(completed))
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await client.continueStepUp(challenge, verificationToken: "v") == nil)
        #expect(await grants(fixture) == [completed])
    }

    @Test("a refresh under way is waited for, and its token is the one that is spent next")
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

    @Test("a plain refresh that fails does not take the scope along")
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

    @Test("callers of refresh share the one that brings the scope")
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

    @Test("two flows that complete at once each get their refresh, one after the other")
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

    @Test("an answer that is lost is asked for again, challenge included")
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
        "offline after the last step, the same call goes on from there and the code is not asked about again")
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

    @Test("another code than the right one is not taken for it")
    func resumeWithAnotherCode() async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .timeout)
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "timeout")
        await fixture.transport.answer("/otp/check", .errorResponse(409, "token_reused"))
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "654321") } == "tokenReused")
        #expect(await client.activeStepUp?.currentStep == "completed")
    }

    @Test("offline after the last step, the next refresh brings the scope although the token at hand is good")
    func nextRefreshBringsIt() async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .timeout, fixture.refreshed(1, scope: "transfer:write"))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "timeout")
        #expect(try await client.refresh().profile.extras["scope"] == .string("transfer:write"))
        #expect(await client.activeStepUp == nil)
        // And who asks once more hears that it is done.
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        #expect(await grants(fixture) == [completed, completed])
        #expect(await fixture.transport.count("/otp/check") == 1)
    }

    @Test("offline after the last step and then relaunched, the scope still comes", arguments: [false, true])
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

    @Test("new tokens that could not be stored are asked for again with the same refresh token and challenge")
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

    @Test("a completed challenge whose time is up no longer goes along")
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

    // MARK: When the challenge is refused

    @Test(
        "a refused challenge never ends the session, and costs no other refresh",
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
        // The token at hand is as good as before, and what it carries is not thrown away.
        _ = try await client.refresh()
        #expect(await grants(fixture) == [completed])
        try await client.invalidateSession()
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        _ = try await client.refresh()
        #expect(await grants(fixture) == [completed, nil])
    }

    @Test("who only shared the refresh does not hear of the refused challenge")
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
        "neither trouble of the server nor noise on the way costs the challenge",
        arguments: [(429, "rateLimited"), (500, "generic"), (503, "network"), (403, "generic"), (404, "generic")])
    func passingTrouble(status: Int, expected: String) async throws {
        let (fixture, client, challenge) = try await ready()
        let noise = ScriptedTransport.Answer.noise(status, headers: ["retry-after": "1"])
        await fixture.transport.answer("/refresh", noise, fixture.refreshed(1))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == expected)
        #expect(await client.activeStepUp?.currentStep == "completed")
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        #expect(await grants(fixture) == [completed, completed])
    }

    @Test(
        "a definite no to the session ends it, challenge or not",
        arguments: [("unauthorized", "unauthorized"), ("dpop_key_mismatch", "deviceKeyLost")])
    func endedSession(code: String, expected: String) async throws {
        let (fixture, client, challenge) = try await ready()
        await fixture.transport.answer("/refresh", .errorResponse(401, code))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == expected)
        #expect(await client.profile == nil)
        #expect(try await fixture.stored() == nil)
        #expect(try await fixture.store.read(ClientFixture.name + ".stepup") == nil)
    }

    @Test("a challenge is not spent on a session that another client put in the place of its own")
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

    @Test("a logout while the refresh is under way leaves nothing behind")
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

    @Test("a service that fails at the challenge keeps no due refresh waiting", arguments: [true, false])
    func failingChallenge(speaksProtocol: Bool) async throws {
        let (fixture, client, challenge) = try await ready()
        let failed: ScriptedTransport.Answer =
            speaksProtocol ? .errorResponse(500, "internal") : .noise(503, headers: ["retry-after": "1"])
        await fixture.transport.answer("/refresh", failed, failed, fixture.refreshed(1))
        let error = try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") }
        #expect(error == (speaksProtocol ? "internalServerError" : "network"))
        fixture.clock.advance(299)
        #expect(try await client.refresh().profile.sessionID == "ses_1")
        #expect(await grants(fixture) == [completed, completed, nil])
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
        // The scope is not given up.
        await fixture.transport.answer("/refresh", fixture.refreshed(2, scope: "transfer:write"))
        #expect(try await client.refresh().profile.extras["scope"] == .string("transfer:write"))
    }
}
