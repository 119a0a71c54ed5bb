/// The code that began a session. A password reset that was interrupted continues only with the same code in the same session.
struct RedeemedCode: Sendable, Equatable {
    /// As `EnteredCode` normalizes it.
    let code: RedactedString
    let sessionID: String

    init?(_ code: String, of user: PreludeUser) {
        guard let sessionID = user.profile.sessionID else { return nil }
        (self.code, self.sessionID) = (RedactedString(code), sessionID)
    }

    func continues(_ session: StoredSession, with code: String) -> Bool {
        session.sessionID == sessionID && self.code.value == code
    }
}
