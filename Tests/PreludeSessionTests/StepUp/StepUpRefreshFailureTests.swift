import Foundation
import Testing

@testable import PreludeSession

@Suite("The refresh with a completed challenge fails")
struct StepUpRefreshFailureTests {
    private let completed = ClientFixture.completedChallenge

    @Test(
        "Offline after the last step, the same call continues and does not send the code again")
    func resume() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        await fixture.transport.answer("/refresh", .offline, .offline, fixture.refreshed(1, scope: "transfer:write"))
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "network")
        #expect(await client.activeStepUp?.currentStep == "completed")
        #expect(await client.profile != nil)
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        #expect(await fixture.transport.count("/otp/check") == 1)
        #expect(await fixture.refreshedChallenges() == [completed, completed, completed])
        #expect(await client.activeStepUp == nil)
    }

    @Test("Another code does not continue a completed step-up")
    func resumeWithAnotherCode() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        await fixture.transport.answer("/refresh", .timeout)
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "timeout")
        await fixture.transport.answer("/otp/check", .errorResponse(409, "token_reused"))
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "654321") } == "tokenReused")
        #expect(await client.activeStepUp?.currentStep == "completed")
    }

    @Test("Offline after the last step, the next refresh fetches the scope although the token is valid")
    func nextRefreshBringsIt() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        await fixture.transport.answer("/refresh", .timeout, fixture.refreshed(1, scope: "transfer:write"))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "timeout")
        #expect(try await client.refresh().profile.extras["scope"] == .string("transfer:write"))
        #expect(await client.activeStepUp == nil)
        // A repeated call succeeds too.
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        #expect(await fixture.refreshedChallenges() == [completed, completed])
        #expect(await fixture.transport.count("/otp/check") == 1)
    }

    @Test("Offline after the last step and relaunched, the next refresh fetches the scope", arguments: [false, true])
    func relaunch(bySubmitting: Bool) async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
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
        #expect(await fixture.refreshedChallenges() == [completed, completed])
        #expect(await launched.activeStepUp == nil)
    }

    @Test("Tokens that could not be stored are requested again with the same refresh token and challenge")
    func storageFails() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
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
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        await fixture.transport.answer("/refresh", .timeout, fixture.refreshed(1))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "timeout")
        fixture.clock.advance(600)
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") }
                == "expiredChallengeToken")
        _ = try await client.refresh()
        #expect(await fixture.refreshedChallenges() == [completed, nil])
    }

    @Test(
        "Neither a server error nor a proxy's response drops the challenge",
        arguments: [(429, "rateLimited"), (500, "generic"), (503, "network"), (403, "generic"), (404, "generic")])
    func passingTrouble(status: Int, expected: String) async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        let noise = ScriptedTransport.Answer.proxyResponse(status, headers: ["retry-after": "1"])
        await fixture.transport.answer("/refresh", noise, fixture.refreshed(1))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == expected)
        #expect(await client.activeStepUp?.currentStep == "completed")
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        #expect(await fixture.refreshedChallenges() == [completed, completed])
    }

    @Test("A challenge is not sent for a session that another client stored instead")
    func replacedSession() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        await fixture.transport.answer("/refresh", .timeout)
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == "timeout")
        try await fixture.signIn(session: "ses_2")
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") }
                == "invalidChallengeToken")
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    // Proves: E3
    @Test("A server error at the challenge does not block a due refresh", arguments: [true, false])
    func failingChallenge(speaksProtocol: Bool) async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        let failed: ScriptedTransport.Answer =
            speaksProtocol ? .errorResponse(500, "internal") : .proxyResponse(503, headers: ["retry-after": "1"])
        await fixture.transport.answer("/refresh", failed, failed, fixture.refreshed(1))
        let error = try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") }
        #expect(error == (speaksProtocol ? "internalServerError" : "network"))
        fixture.clock.advance(299)
        #expect(try await client.refresh().profile.sessionID == "ses_1")
        #expect(await fixture.refreshedChallenges() == [completed, completed, nil])
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
        // The challenge is kept.
        await fixture.transport.answer("/refresh", fixture.refreshed(2, scope: "transfer:write"))
        #expect(try await client.refresh().profile.extras["scope"] == .string("transfer:write"))
    }
}
