/// Step-ups; each writing call is one transaction, described at its intent.
package protocol StepUpStore: Sendable {
    /// Takes one from the user's `stepUps` counter; the moment from which to try again when it is used up.
    func countStepUp(user id: String, app: AppID, limit: RateLimit, now: Timestamp) async throws -> Timestamp?
    func openChallenge(_ intent: OpenChallenge) async throws
    func sendStepUpCode(_ intent: SendStepUpCode) async throws -> SendStepUpOutcome
    func checkStepUpCode(_ intent: CheckStepUpCode) async throws -> StepOutcome
    func completeCustomStep(_ intent: CompleteCustomStep) async throws -> StepOutcome
    /// All grants of a user, those of other sessions included.
    func grants(of userID: String, app: AppID) async throws -> [Grant]
    func changePassword(_ intent: ChangePassword) async throws -> ChangePasswordOutcome
    /// Appends events that tell of nothing stored, such as a hook that failed.
    func append(_ events: [Event]) async throws
}
