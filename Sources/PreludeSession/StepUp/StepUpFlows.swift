internal import Foundation

/// The step-ups of the session at hand; a plain value that decides and never acts. Bounded: the oldest go first.
struct StepUpFlows: Sendable, Equatable {
    static let capacity = 8

    /// An answer that completed a challenge. The step is spent with it, so a repeat starts from what it won.
    private struct CompletedAnswer: Sendable, Equatable {
        let answer: RedactedString
        let of: String
        let won: StepUpChallenge
    }

    /// The challenges that can go on, in their last state, the one that moved last at the end.
    private(set) var open: [StepUpChallenge] = []
    private var completedAnswers: [CompletedAnswer] = []
    /// Completed challenges that a refresh has turned into a scope, by the id of their token.
    private var redeemed: [String] = []
    /// The attempts that are over, so that a stored copy does not bring them back.
    private(set) var closed: [String] = []
    /// Whether what an earlier launch stored was taken over.
    private(set) var isRestored = false

    // MARK: Reading

    /// The challenge that moved last, of those of a session that are still good.
    func newest(session: StoredSession?, at serverTime: Date) -> StepUpChallenge? {
        usable(session: session, at: serverTime).last
    }

    /// A completed challenge that waits for a refresh to bring its scope, the oldest first.
    func waiting(session: StoredSession?, at serverTime: Date) -> StepUpChallenge? {
        guard open.contains(where: \.isCompleted) else { return nil }
        return usable(session: session, at: serverTime).first(where: \.isCompleted)
    }

    private func usable(session: StoredSession?, at serverTime: Date) -> [StepUpChallenge] {
        guard let session, !open.isEmpty else { return [] }
        let sessionID = session.sessionID
        return open.filter { challenge in
            challenge.ticket.map { $0.sessionID == sessionID && !$0.isExpired(at: serverTime) } ?? false
        }
    }

    func isOpen(_ challenge: StepUpChallenge) -> Bool { open.contains(challenge) }

    func isRedeemed(_ challenge: StepUpChallenge) -> Bool {
        challenge.ticket.map { redeemed.contains($0.tokenID) } ?? false
    }

    /// What this very answer has already made of a challenge.
    func won(by answer: RedactedString, of challenge: StepUpChallenge) -> StepUpChallenge? {
        completedAnswers.first { $0.of == challenge.ticket?.tokenID && $0.answer == answer }?.won
    }

    // MARK: Changing

    /// Takes over what an earlier launch stored; what moved since is newer.
    mutating func restore(_ stored: [StepUpChallenge]) {
        guard !isRestored else { return }
        isRestored = true
        open = Array((stored.filter { !knows($0) } + open).suffix(Self.capacity))
    }

    /// Whether there is a newer word on an attempt than a stored copy of it.
    func knows(_ stored: StepUpChallenge) -> Bool {
        closed.contains(stored.challengeID) || open.contains { $0.challengeID == stored.challengeID }
    }

    /// Opens a challenge, or puts it in the place of its earlier state.
    mutating func moved(_ challenge: StepUpChallenge) {
        closed.removeAll { $0 == challenge.challengeID }
        open.removeAll { $0.challengeID == challenge.challengeID }
        open = Array((open + [challenge]).suffix(Self.capacity))
    }

    /// Notes what an answer made of a challenge.
    mutating func moved(_ challenge: StepUpChallenge, to next: StepUpChallenge, by answer: RedactedString) {
        open.removeAll { $0 == challenge }
        moved(next)
        guard next.isCompleted, let of = challenge.ticket?.tokenID else { return }
        completedAnswers = Array(
            (completedAnswers + [CompletedAnswer(answer: answer, of: of, won: next)]).suffix(Self.capacity))
    }

    /// A refresh has brought the scope.
    mutating func redeemed(_ challenge: StepUpChallenge) {
        if let id = challenge.ticket?.tokenID { redeemed = Array((redeemed + [id]).suffix(Self.capacity)) }
        close(challenge)
    }

    /// The challenge is over. One that has moved on meanwhile stays.
    mutating func close(_ challenge: StepUpChallenge) {
        guard isOpen(challenge) else { return }
        open.removeAll { $0 == challenge }
        closed = Array((closed + [challenge.challengeID]).suffix(Self.capacity))
    }

    /// Drops what is past its time.
    mutating func dropExpired(at serverTime: Date) {
        for challenge in open where challenge.ticket?.isExpired(at: serverTime) ?? true { close(challenge) }
    }

    /// A logout or login: nothing of before counts, the stored copies included.
    mutating func forget() {
        self = StepUpFlows()
        isRestored = true
    }
}
