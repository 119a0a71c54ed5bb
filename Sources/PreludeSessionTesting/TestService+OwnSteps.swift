public import PreludeSession
import SessionDomain

extension TestService {
    /// What your backend answers when a user has done a step of your own: the token that `continueStepUp(_:verificationToken:)`
    /// hands in. It is good once, and for two minutes.
    ///
    /// - Parameters:
    ///   - challenge: The challenge that is at the step; its `currentStep` was allowed as `.own(_:)`.
    ///   - client: Who has done it.
    /// - Throws: `TestServiceError` when the challenge is at no step of your own, or nobody is signed in.
    public func verificationToken(
        for challenge: PreludeSession.StepUpChallenge, as client: PreludeSessionClient
    ) async throws -> String {
        guard let step = challenge.currentStep, !challenge.isCompleted, !challenge.expectsCode else {
            throw TestServiceError("\(challenge) is at no step of the app's own; allow(scope:steps:) one with .own(_:)")
        }
        guard let user = await client.profile?.userID else { throw TestServiceError("nobody is signed in") }
        return try await OwnSteps.proof(
            of: step, challengeID: challenge.challengeID, user: user,
            tokenID: ServiceEnvironment.live.newID("proof"), now: clock.timestamp)
    }
}
