/// The fixed limits of step-ups. What an operator can change is in `StepUpConfig`.
extension StepUpChallenge {
    /// Wrong codes after which a challenge is no longer valid.
    package static let maximumWrongCodes = 5
    /// Seconds from completion to the refresh that redeems the challenge.
    package static let redemptionTime = 300
    /// Maximum number of open challenges per session. One more deletes the oldest.
    package static let maximumPerSession = 10
}
