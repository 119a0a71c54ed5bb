internal import Foundation

/// The step-ups of the current session. It decides; the engine acts. Bounded: when a list is full, its oldest entry goes.
final class StepUpFlows {
    static let capacity = 8

    /// Where a completed challenge stands.
    enum Progress: Sendable, Equatable {
        /// A refresh must still redeem it.
        case open
        /// A refresh has redeemed it.
        case redeemed
        /// It was rejected, or dropped by a login or a logout.
        case dropped
    }

    /// The answer to the last step of a challenge. The server accepts it once, so a repeated call continues from
    /// `completed`.
    private struct CompletedAnswer: Sendable, Equatable {
        let answer: RedactedString
        /// `jti` of the challenge that was answered.
        let tokenID: String
        let completed: StepUpChallenge
    }

    /// The challenges that can continue, each in its last state. The one that changed last is at the end.
    private(set) var open: [StepUpChallenge] = []
    private var completedAnswers: [CompletedAnswer] = []
    /// `jti` of completed challenges that a refresh has redeemed.
    private var redeemed: [String] = []
    /// `challengeID` of closed challenges, so that a stored copy does not reopen them.
    private(set) var closed: [String] = []
    /// Whether the challenges of an earlier launch were taken over.
    private(set) var isRestored = false

    // MARK: Reading

    /// The valid challenge of a session that changed last.
    func newest(session: StoredSession?, at serverTime: Date) -> StepUpChallenge? {
        valid(session: session, at: serverTime).last
    }

    /// The oldest completed challenge of a session that waits for a refresh.
    func waiting(session: StoredSession?, at serverTime: Date) -> StepUpChallenge? {
        guard open.contains(where: \.isCompleted) else { return nil }
        return valid(session: session, at: serverTime).first(where: \.isCompleted)
    }

    private func valid(session: StoredSession?, at serverTime: Date) -> [StepUpChallenge] {
        guard let session, !open.isEmpty else { return [] }
        let sessionID = session.sessionID
        return open.filter { challenge in
            challenge.ticket.map { $0.sessionID == sessionID && !$0.isExpired(at: serverTime) } ?? false
        }
    }

    /// Whether an open challenge has expired, so that its token should leave the store.
    func hasExpired(at serverTime: Date) -> Bool { open.contains { $0.ticket?.isExpired(at: serverTime) ?? true } }

    func isOpen(_ challenge: StepUpChallenge) -> Bool { open.contains(challenge) }

    func isRedeemed(_ challenge: StepUpChallenge) -> Bool {
        challenge.ticket.map { redeemed.contains($0.tokenID) } ?? false
    }

    func progress(of completed: StepUpChallenge) -> Progress {
        if isOpen(completed) { return .open }
        return isRedeemed(completed) ? .redeemed : .dropped
    }

    /// The completed challenge that this answer to this challenge has already returned.
    func completed(by answer: RedactedString, of challenge: StepUpChallenge) -> StepUpChallenge? {
        completedAnswers.first { $0.tokenID == challenge.ticket?.tokenID && $0.answer == answer }?.completed
    }

    /// Whether a stored copy of a challenge is outdated.
    func knows(_ stored: StepUpChallenge) -> Bool {
        closed.contains(stored.challengeID) || open.contains { $0.challengeID == stored.challengeID }
    }

    /// The challenges to store: the open ones, and those that another client stored for the same session.
    func merged(with stored: [StepUpChallenge], session: StoredSession?, at serverTime: Date) -> [StepUpChallenge] {
        guard let session else { return [] }
        let sessionID = session.sessionID
        let others = stored.filter { other in
            guard let ticket = other.ticket else { return false }
            return ticket.sessionID == sessionID && !ticket.isExpired(at: serverTime) && !knows(other)
        }
        return (others + open).suffix(Self.capacity)
    }

    // MARK: Changing

    /// Takes over the challenges of an earlier launch. What changed since then is newer.
    func restore(_ stored: [StepUpChallenge]) {
        guard !isRestored else { return }
        isRestored = true
        open = Array((stored.filter { !knows($0) } + open).suffix(Self.capacity))
    }

    /// Adds a challenge, or replaces its earlier state.
    func update(_ challenge: StepUpChallenge) {
        closed.removeAll { $0 == challenge.challengeID }
        open.removeAll { $0.challengeID == challenge.challengeID }
        open = Array((open + [challenge]).suffix(Self.capacity))
    }

    /// Replaces a challenge by its next state after an accepted answer.
    func update(_ challenge: StepUpChallenge, to next: StepUpChallenge, by answer: RedactedString) {
        open.removeAll { $0 == challenge }
        update(next)
        guard next.isCompleted, let tokenID = challenge.ticket?.tokenID else { return }
        let completed = CompletedAnswer(answer: answer, tokenID: tokenID, completed: next)
        completedAnswers = Array((completedAnswers + [completed]).suffix(Self.capacity))
    }

    /// A refresh has redeemed a challenge.
    func redeemed(_ challenge: StepUpChallenge) {
        if let id = challenge.ticket?.tokenID { redeemed = Array((redeemed + [id]).suffix(Self.capacity)) }
        close(challenge)
    }

    /// Drops a challenge. A newer state of it stays.
    func close(_ challenge: StepUpChallenge) {
        guard isOpen(challenge) else { return }
        open.removeAll { $0 == challenge }
        closed = Array((closed + [challenge.challengeID]).suffix(Self.capacity))
    }

    func dropExpired(at serverTime: Date) {
        for challenge in open where challenge.ticket?.isExpired(at: serverTime) ?? true { close(challenge) }
    }

    /// A login or a logout: all earlier challenges are void, stored copies included.
    func forget() {
        (open, completedAnswers) = ([], [])
        (redeemed, closed) = ([], [])
        isRestored = true
    }
}

/// The record of open challenges, so that they survive a relaunch. It contains no answers of users.
struct StepUpRecord: VersionedRecord, Equatable {
    static let recordName = RecordName.stepUps

    struct Entry: Codable, Sendable, Equatable {
        let status: String
        let token: String
        let scope: String
        let sessionID: String?
        let passkey: PreludePasskeySignInRequest?
    }

    var version = StepUpRecord.currentVersion
    private var entries: [Entry]

    init(_ challenges: [StepUpChallenge]) {
        entries = challenges.compactMap { challenge in
            challenge.ticket.map { ticket in
                Entry(
                    status: challenge.status.rawValue, token: ticket.token.value, scope: challenge.requestedScope,
                    sessionID: ticket.sessionID, passkey: ticket.passkeyRequest)
            }
        }
    }

    /// The stored challenges.
    func challenges(endpoint: String) -> [StepUpChallenge] {
        entries.compactMap { entry in
            StepUpStatus(rawValue: entry.status).flatMap {
                StepUpChallenge(
                    token: entry.token, status: $0, scope: entry.scope, sessionID: entry.sessionID,
                    endpoint: endpoint, passkeyRequest: entry.passkey)
            }
        }
    }

    /// The challenges of a record; none if the record cannot be read. They live minutes and can be requested again.
    static func challenges(in data: Data, endpoint: String) -> [StepUpChallenge] {
        RecordContent<StepUpRecord>(data).challenges(endpoint: endpoint)
    }
}

extension RecordContent<StepUpRecord> {
    /// The stored challenges; none if the record cannot be read.
    func challenges(endpoint: String) -> [StepUpChallenge] {
        if case .valid(let record) = self { record.challenges(endpoint: endpoint) } else { [] }
    }
}
