public import PreludeSession
import SessionDomain

extension TestService {
    /// Creates the verification token that your backend returns when a user has completed a step of your own.
    ///
    /// Pass it to `continueStepUp(_:verificationToken:)`. It is valid once, and for two minutes.
    ///
    /// - Parameters:
    ///   - challenge: The challenge, whose `currentStep` was allowed as `.own(_:)`.
    ///   - client: The client of the user who completed the step.
    /// - Throws: `TestServiceError` when the current step is not a step of your own, or when the client is not signed in.
    public func verificationToken(
        for challenge: PreludeSession.StepUpChallenge, as client: PreludeSessionClient
    ) async throws -> String {
        guard let step = challenge.currentStep, !challenge.isCompleted, !StepUpStep.ownKeys.contains(step) else {
            throw TestServiceError(
                "the current step of \(challenge) is not a step of the app; call allow(scope:steps:) with .own(_:)")
        }
        guard let user = await client.profile?.userID else {
            throw TestServiceError("the client is not signed in; sign in first")
        }
        return try await CustomStepSigner.proof(
            of: step, challengeID: challenge.challengeID, user: user,
            tokenID: ServiceEnvironment.live.newID("proof"), now: clock.timestamp)
    }
}
