internal import SessionTokens

/// The intent to turn a completed challenge into a session. A store performs it in one transaction:
///
/// 1. reserve the proof's replay key, if there is a proof (a repeat: `.replayedProof`);
/// 2. reserve the challenge id (a repeat: `.challengeReused`);
/// 3. read the user (`.unknownUser`), refuse an inactive one (`.inactive(status)`), and a challenge that was issued
///    before the user's logins were last voided (`.challengeVoid`), by a change of credentials for example;
/// 4. revoke the previous session, if it is live, of this app, and has the same key or none was pinned;
/// 5. insert the session with its grants and append the events.
///
/// A refusal undoes the reservations.
package struct StartSession: Sendable {
    package let session: Session
    /// What the login gives for a while only.
    package let grants: [Grant]
    /// `jti` of the challenge token.
    package let challengeID: String
    package let challengeIssuedAt: Timestamp
    package let challengeExpiresAt: Timestamp
    package let proof: ProofUse?
    /// The session this login replaces, named by a refresh token whose MAC was checked.
    package let previousSessionID: String?
    package let now: Timestamp
    package let events: EventFactory

    package init(
        session: Session, grants: [Grant] = [], challengeID: String, challengeIssuedAt: Timestamp,
        challengeExpiresAt: Timestamp, proof: ProofUse?, previousSessionID: String?, now: Timestamp,
        events: EventFactory
    ) {
        self.session = session
        self.grants = grants
        self.challengeID = challengeID
        self.challengeIssuedAt = challengeIssuedAt
        self.challengeExpiresAt = challengeExpiresAt
        self.proof = proof
        self.previousSessionID = previousSessionID
        self.now = now
        self.events = events
    }

    /// Whether a session may be ended by this login: the caller must hold its key, if it has one.
    package func mayReplace(_ previous: Session) -> Bool {
        previous.appID == session.appID && previous.isLive(at: now)
            && (previous.keyThumbprint == nil || previous.keyThumbprint == session.keyThumbprint)
    }

    /// Tokens tell whole seconds, so a login within the second of the change counts as after it.
    package func isVoid(by voidBefore: Timestamp) -> Bool { challengeIssuedAt.seconds < voidBefore.seconds }

    package func createdEvent() -> Event {
        events.make(
            .sessionCreated, ["user_id": .string(session.userID), "session_id": .string(session.id)])
    }
}

package enum StartSessionOutcome: Sendable, Equatable {
    case started(User)
    case replayedProof
    case challengeReused
    case unknownUser
    case challengeVoid
    case inactive(User.Status)
}
