internal import Crypto
internal import Foundation
internal import SessionTokens

/// Turns a completed challenge into a session.
///
/// A rejected login writes nothing: the proof and the challenge can be used again.
package struct StartSession: Intent {
    package let session: Session
    /// Scopes that the login grants for a limited time.
    package let grants: [Grant]
    /// `jti` of the challenge token.
    package let challengeID: String
    /// The verification whose code got the challenge, if it still accepts the code. The session ends it.
    package let verification: String?
    /// `User.loginEpoch` when the login was proven.
    package let challengeEpoch: Int64?
    /// Whether the login proved an identifier that was not held. It ends the holds of the user.
    package let endsHolds: Bool
    package let challengeExpiresAt: Timestamp
    package let method: LoginMethod?
    package let proof: ProofUse?
    /// The session that this login replaces. The MAC of the refresh token that names it is valid.
    package let previousSessionID: String?
    /// Live sessions that the user may have, this one included.
    package let maximumSessions: Int
    package let now: Timestamp
    package let events: EventFactory
    /// Tells the user about a login from a device that is not known. `nil` for a known one.
    package let newDevice: NewDeviceNotice?
    /// The first language that the request asks for.
    package let locale: String?

    /// - Parameter locale: The default is that of the current task.
    package init(
        session: Session, grants: [Grant] = [], challengeID: String, verification: String? = nil,
        challengeEpoch: Int64?, endsHolds: Bool = false, challengeExpiresAt: Timestamp, method: LoginMethod? = nil,
        proof: ProofUse?, previousSessionID: String?,
        maximumSessions: Int, now: Timestamp,
        events: EventFactory, newDevice: NewDeviceNotice? = nil,
        locale: String? = RequestedLanguages.current.first
    ) {
        self.session = session
        self.grants = grants
        self.challengeID = challengeID
        self.verification = verification
        self.challengeEpoch = challengeEpoch
        self.endsHolds = endsHolds
        self.challengeExpiresAt = challengeExpiresAt
        self.method = method
        self.proof = proof
        self.previousSessionID = previousSessionID
        self.maximumSessions = maximumSessions
        self.now = now
        self.events = events
        self.newDevice = newDevice
        self.locale = locale
    }

    package struct Facts: Sendable {
        let user: User?
        let previousSession: Session?
        let verification: Verification?
        let surplusSessions: [Session]
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(
            app: session.appID, .user(session.userID), .session(previousSessionID),
            .verification(tokenHash: verification),
            .surplusSessions(at: now, keeping: maximumSessions - 1), .failures, as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<StartSessionOutcome> {
        if let proof, facts.failures.isTaken(.proof(proof.replayKey)) { return Decision(.replayedProof) }
        if facts.failures.isTaken(.redemption(challengeID)) { return Decision(.challengeReused) }
        let appID = session.appID
        let once: [Change] =
            (proof.map { [.reserveProof($0, app: appID, now: now)] } ?? [])
            + [.redeem(challengeID, until: challengeExpiresAt, app: appID)]
        if let rejection = rejection(facts.user) {
            return .unwritten(rejection, checking: once)
        }
        guard let user = facts.user else { return .unwritten(.unknownUser, checking: once) }
        let previous = facts.previousSession.flatMap { mayReplace($0) ? $0 : nil }
        let replaced = previous.map(SessionRevocation(reason: .replacedByLogin, now: now, events: events).changes) ?? []
        let ended = surplus(facts.surplusSessions, replacing: previous)
            .flatMap(SessionRevocation(reason: .sessionLimit, now: now, events: events).changes)
        let answered = facts.verification.map { [Change.deleteVerification($0)] } ?? []
        let released: [Change] = endsHolds && !user.heldUntil.isEmpty ? [.releaseIdentifiers(of: user)] : []
        let spoken: [Change] = locale.flatMap { $0 == user.locale ? nil : [.setLocale($0, of: user)] } ?? []
        let started =
            released + spoken + [Change.insertSession(session)] + grants.map { .insertGrant($0) } + [
                .append(createdEvent())
            ]
        // A session that this login replaces belongs to the same device.
        let notice =
            previous?.userID == user.id
            ? [] : newDevice?.changes(session.device, to: user, facts.failures, at: now) ?? []
        return Decision(.started(user), once + replaced + ended + answered + started + notice)
    }

    /// The sessions that this login ends because the user has too many: those that were unused longest.
    ///
    /// - Parameter live: All live sessions but those that may stay beside the new one, used last first.
    private func surplus(_ live: [Session], replacing previous: Session?) -> [Session] {
        guard let previous, previous.userID == session.userID else { return live }
        // The replaced session ends anyway. If it would have stayed, another one may stay in its place.
        return live.contains { $0.id == previous.id } ? live.filter { $0.id != previous.id } : Array(live.dropFirst())
    }

    /// The reason why the user may not sign in with this challenge; `nil` if there is none.
    private func rejection(_ user: User?) -> StartSessionOutcome? {
        guard let user else { return .unknownUser }
        guard user.status == .active else { return .inactive(user.status) }
        // A count, not a time: it also tells logins apart that began in the same second, or on another node's clock.
        return challengeEpoch == user.loginEpoch ? nil : .challengeVoid
    }

    /// Whether this login may end a session: the caller must hold its key, if it has one.
    package func mayReplace(_ previous: Session) -> Bool {
        previous.appID == session.appID && previous.isLive(at: now)
            && (previous.keyThumbprint == nil || previous.keyThumbprint == session.keyThumbprint)
    }

    private func createdEvent() -> Event {
        var data: [String: JSONValue] = [
            "user_id": .string(session.userID), "session_id": .string(session.id),
        ]
        if let method { data["method"] = .string(method.rawValue) }
        return events.make(.sessionCreated, data, reporting: .login(method, .succeeded))
    }
}

package enum StartSessionOutcome: Sendable, Equatable {
    case started(User)
    case replayedProof
    case challengeReused
    case unknownUser
    /// The challenge is older than a change of the user's credentials, or than the end of the user's other sessions.
    case challengeVoid
    case inactive(User.Status)
}

/// Answers a finalized login again: the first answer may be lost.
///
/// It is the same login if the same challenge comes from the same key with the same attempt id. After the first refresh of the
/// session, the device has had the answer.
package struct RepeatSessionStart: Intent {
    /// The session as this call would start it.
    package let session: Session
    package let proof: ProofUse
    package let now: Timestamp

    package init(of session: Session, proof: ProofUse, now: Timestamp) {
        self.session = session
        self.proof = proof
        self.now = now
    }

    package struct Facts: Sendable {
        let session: Session?
        let user: User?
        let grants: [Grant]
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(
            app: session.appID, .session(session.id), .userOfSession(isShared: true), .grants(at: now), .failures,
            as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<RepeatSessionStartOutcome> {
        guard let started = facts.session, let user = facts.user, isRepeat(of: started) else {
            return Decision(.challengeReused)
        }
        if facts.failures.isTaken(.proof(proof.replayKey)) { return Decision(.replayedProof) }
        let grants = facts.grants.filter { $0.covers(started, at: now) }
        return Decision(.repeated(started, user, grants), [.reserveProof(proof, app: session.appID, now: now)])
    }

    private func isRepeat(of started: Session) -> Bool {
        guard let attempt = proof.attempt, attempt == started.attempts.last else { return false }
        return started.isLive(at: now) && started.generation == 0 && started.userID == session.userID
            && started.keyThumbprint == proof.thumbprint
    }
}

package enum RepeatSessionStartOutcome: Sendable, Equatable {
    case repeated(Session, User, [Grant])
    case replayedProof
    case challengeReused
}

extension Session {
    /// The id of the one session that a challenge token starts, so that a repeated login finds it.
    static func id(startedBy challenge: ChallengeClaims) -> String {
        let hash = SHA256.hash(data: Data("session\0\(challenge.aud)\0\(challenge.jti)".utf8))
        return "ses_" + ULID.make(at: Timestamp(seconds: challenge.iat), randomBytes: Array(hash.prefix(10)))
    }
}

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

    package var reads: Read<GuardFailures> { Read(app: events.appID, .failures) }

    package func decide(_ failures: GuardFailures) -> Decision<Void> {
        let key = "login.failed/\(challenge.jti)/\(reason.rawValue)"
        guard !failures.isTaken(.redemption(key)) else { return Decision(()) }
        // A user that was deleted meanwhile is named by the event of the deletion only.
        let subject = LoginSubject(nil, userID: reason == .unknownUser ? nil : challenge.sub)
        let event = events.loginFailed(reason, challenge.method, of: subject)
        return Decision(
            (), [.redeem(key, until: Timestamp(seconds: challenge.exp), app: events.appID), .append(event)])
    }
}
