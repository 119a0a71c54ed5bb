/// Reads step-ups.
package protocol StepUpStore: IntentStore {
    /// All grants of a user, those of other sessions included.
    func grants(of userID: String, app: AppID) async throws -> [Grant]
}
