@testable import PreludeSession

/// Step-ups whose last step is about to be completed.
extension ClientFixture {
    /// The token of a completed challenge.
    static let completedChallenge = TestToken.challenge("t1", step: "completed")

    /// A fixture with a challenge whose next code completes it.
    static func beforeLastStep() async throws -> (ClientFixture, PreludeSessionClient, StepUpChallenge) {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        await fixture.transport.answer("/otp/check", next(completedChallenge))
        return (fixture, client, challenge)
    }

    /// The challenge token of each refresh, `nil` for an ordinary refresh.
    func refreshedChallenges() async -> [String?] {
        await transport.requests("/refresh").map { $0.text("step_up_token") }
    }
}
