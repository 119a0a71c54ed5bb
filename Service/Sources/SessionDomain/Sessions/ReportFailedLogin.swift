/// Reports that a proven login starts no session, once per challenge and reason.
///
/// A challenge token can be sent again and again, and `StartSession` writes nothing for a rejected one.
package struct ReportFailedLogin: Intent {
    package let reason: LoginFailure
    package let challenge: ChallengeClaims
    package let now: Timestamp
    package let events: EventFactory

    package init(_ reason: LoginFailure, challenge: ChallengeClaims, now: Timestamp, events: EventFactory) {
        self.reason = reason
        self.challenge = challenge
        self.now = now
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: events.appID) }

    package func decide(_ facts: Facts) -> Decision<Void> {
        let key = "login.failed/\(challenge.jti)/\(reason.rawValue)"
        guard !facts.isTaken(.redemption(key)) else { return Decision(()) }
        // A user that was deleted meanwhile is named by the event of the deletion only.
        let subject = LoginSubject(nil, userID: reason == .unknownUser ? nil : challenge.sub)
        let event = events.loginFailed(reason, challenge.method, of: subject)
        return Decision(
            (), [.redeem(key, until: Timestamp(seconds: challenge.exp), app: events.appID), .append(event)])
    }
}
