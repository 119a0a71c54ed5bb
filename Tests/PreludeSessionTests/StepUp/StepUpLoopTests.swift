import Foundation
import PreludeSession
import Testing

/// The loop of an app that handles every kind of step.
@Suite("A loop over the steps of a step-up")
struct StepUpLoopTests {
    private func stepUp(_ client: PreludeSessionClient, from first: StepUpChallenge) async throws {
        var challenge = first
        while !challenge.isCompleted {
            let next: StepUpChallenge?
            if challenge.expectsCode {
                try await client.sendStepUpOTP(challenge)
                next = try await client.submitStepUpOTP(challenge, code: "123456")
            } else {
                let key = try #require(challenge.currentStep)
                next = try await client.continueStepUp(challenge, verificationToken: "proof of \(key)")
            }
            guard let next else { break }
            challenge = next
        }
    }

    @Test("The loop completes codes and steps of the app's own in any order and ends with the scope")
    func everyKind() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let first = try await fixture.challenge(of: client, TestToken.challenge("t0", step: "check_id"))
        await fixture.transport.answer(
            "/stepup/continue", ClientFixture.next(TestToken.challenge("t1", step: "verify_sms")),
            ClientFixture.next(TestToken.challenge("t4", step: "completed")))
        await fixture.transport.answer("/otp", .success(), .success())
        await fixture.transport.answer(
            "/otp/check", ClientFixture.next(TestToken.challenge("t2", step: "verify_email")),
            ClientFixture.next(TestToken.challenge("t3", step: "verify_face")))
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "transfer:write"))
        try await stepUp(client, from: first)
        #expect(
            await fixture.transport.sent.map { $0.path.dropFirst("/v1/session".count) } == [
                "/stepup/request", "/stepup/continue", "/otp", "/otp/check", "/otp", "/otp/check", "/stepup/continue",
                "/refresh",
            ])
        #expect(
            await fixture.transport.requests("/stepup/continue").map { $0.text("verification_token") }
                == ["proof of check_id", "proof of verify_face"])
        #expect(try await client.refresh().profile.extras["scope"] == .string("transfer:write"))
    }

    @Test("The loop has no step for a scope that is granted at once")
    func granted() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "transfer:write"))
        let first = try await fixture.challenge(
            of: client, TestToken.challenge("t0", step: "completed"), status: "continue")
        #expect(first.isCompleted && !first.expectsCode)
        try await stepUp(client, from: first)
        #expect(await fixture.transport.sent.count == 2)
    }

    @Test("The loop does not begin for a denied scope")
    func blocked() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/stepup/request", ClientFixture.decision(nil, status: "block"))
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        #expect(challenge.status == .blocked && !challenge.isCompleted && !challenge.expectsCode)
    }
}
