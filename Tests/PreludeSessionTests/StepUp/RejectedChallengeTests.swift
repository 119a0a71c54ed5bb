import Foundation
import Testing

@testable import PreludeSession

@Suite("The refresh with a completed challenge is rejected")
struct RejectedChallengeTests {
    private let completed = ClientFixture.completedChallenge

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
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        await fixture.transport.answer("/refresh", .errorResponse(status, code))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == expected)
        #expect(await client.profile?.sessionID == "ses_1")
        #expect(try await fixture.stored()?.refreshToken == "refresh-0")
        #expect(await client.activeStepUp == nil)
        #expect(try await fixture.store.read(ClientFixture.name + ".stepup") == nil)
        // The current token stays valid and keeps its scopes.
        _ = try await client.refresh()
        #expect(await fixture.refreshedChallenges() == [completed])
        try await client.invalidateSession()
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        _ = try await client.refresh()
        #expect(await fixture.refreshedChallenges() == [completed, nil])
    }

    @Test("A caller that only shared the refresh does not get the rejected challenge's error")
    func refusalOfOthers() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
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
        "A rejected refresh ends the session, with or without a challenge",
        arguments: [("unauthorized", "unauthorized"), ("dpop_key_mismatch", "deviceKeyLost")])
    func endedSession(code: String, expected: String) async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        await fixture.transport.answer("/refresh", .errorResponse(401, code))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") } == expected)
        #expect(await client.profile == nil)
        #expect(try await fixture.stored() == nil)
        #expect(try await fixture.store.read(ClientFixture.name + ".stepup") == nil)
    }
}
