import Foundation
import Testing

@testable import PreludeSession

@Suite("After the last step the session is refreshed with the challenge")
struct StepUpCompletionTests {
    private let completed = ClientFixture.completedChallenge

    @Test("The refresh carries the challenge, and then the token carries the scope and no step-up is open")
    func completion() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
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
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        await fixture.transport.answer("/stepup/continue", ClientFixture.next(completed))
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await client.continueStepUp(challenge, verificationToken: "v") == nil)
        #expect(await fixture.refreshedChallenges() == [completed])
    }

    @Test("A running refresh is waited for, and its token is used next")
    func afterPlainRefresh() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
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
        #expect(await fixture.refreshedChallenges() == [nil, completed])
        let spent = await fixture.transport.requests("/refresh").map { $0.headers["x-refresh-token"] }
        #expect(spent == ["refresh-0", "refresh-1"])
    }

    @Test("A failed ordinary refresh does not drop the challenge")
    func afterFailedPlainRefresh() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
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
        #expect(await fixture.refreshedChallenges() == [nil, completed])
    }

    @Test("Callers of refresh share the refresh with the challenge")
    func sharedRefresh() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
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
        #expect(await fixture.refreshedChallenges() == tokens)
        #expect(
            await fixture.transport.requests("/refresh").map { $0.headers["x-refresh-token"] }
                == ["refresh-0", "refresh-1"])
    }

    @Test("A lost response is requested again with the challenge")
    func lostAnswer() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        await fixture.transport.answer("/refresh", .offline, fixture.refreshed(1))
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        let sent = await fixture.transport.requests("/refresh")
        #expect(sent.map { $0.text("step_up_token") } == [completed, completed])
        #expect(sent.map { $0.headers["x-refresh-token"] } == ["refresh-0", "refresh-0"])
        #expect(sent[0].proof?["jti"] != sent[1].proof?["jti"])
    }

    @Test("A logout during the refresh leaves no session and no step-up")
    func logoutMeanwhile() async throws {
        let (fixture, client, challenge) = try await ClientFixture.beforeLastStep()
        let gate = Gate()
        await fixture.transport.answer("/revoke", .success())
        await fixture.transport.answer("/refresh", .held(gate, fixture.refreshed(1)))
        let submit = Task { try await client.submitStepUpOTP(challenge, code: "123456") }
        await fixture.transport.arrival(of: "/refresh")
        try await client.logoutAndRevoke()
        await gate.open()
        #expect(try await failure { _ = try await submit.value } == "unauthorized")
        #expect(await client.profile == nil)
        #expect(try await fixture.stored() == nil)
        #expect(try await fixture.store.read(ClientFixture.name + ".stepup") == nil)
    }
}
