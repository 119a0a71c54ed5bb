import SessionDomain

/// One rule that the explorer breaks. Each of them must lead to a violation.
enum BrokenRule: CaseIterable {
    // The service.
    /// The successor is repeated for every attempt id until it is used.
    case repeatsForEveryAttempt
    /// The same attempt id counts as reuse.
    case takesRepetitionForReuse
    /// The successor is repeated for a proof with an attempt id, although the last rotation had none.
    case repeatsForTheFirstAttempt
    /// The attempt ids before the last one are forgotten.
    case forgetsEarlierAttempts
    /// A second delivery of a proof counts as reuse.
    case takesReplayForReuse
    /// A late request counts as reuse, although its proof has no nonce.
    case takesLateRequestForReuse
    /// A request with any valid nonce counts as made after the last rotation.
    case takesEveryNonceForTheTime
    /// A token older than the previous one is asked for a nonce again and again.
    case neverEndsOldTokens
    /// A token that is ahead of the row is rejected.
    case rejectsTokensAheadOfTheRow
    /// Without attempt ids, a repetition counts as reuse after a minute.
    case limitsRepetitions
    /// Without attempt ids, the current token is also returned for tokens older than the previous one.
    case repeatsForOlderTokens
    // The SDK.
    /// Each repetition has an attempt id of its own.
    case makesAnAttemptPerRepetition
    /// The attempt id is not stored, so that a process that follows makes another one.
    case sendsBeforeTheAttemptIsStored
    /// After a 409 the device keeps an attempt id that another holder has used.
    case keepsAnAttemptThatIsSpent

    /// The decision of a service with this rule. `nil` if the real decision applies.
    func decide(_ intent: RotateRefreshToken, _ session: Session, isSeen: Bool) -> Decision<RotationOutcome>? {
        guard let proof = intent.proof, proof.isFresh, session.revokedAt == nil else { return nil }
        let isPrevious = intent.generation == session.generation - 1
        let isSpent = intent.generation < session.generation
        let isLast = proof.attempt != nil && proof.attempt == session.attempts.last
        switch self {
        case .repeatsForEveryAttempt where isPrevious && !isSeen,
            .repeatsForTheFirstAttempt where isPrevious && !isSeen && session.attempts.last == nil:
            return Decision(.repeated(session, Self.user(of: session), []))
        case .takesRepetitionForReuse where isPrevious && isLast && !isSeen,
            .takesReplayForReuse where isSpent && isSeen,
            .takesLateRequestForReuse where isSpent && !isLast && !proof.hasNonce && proof.issuedAt < session.rotatedAt,
            .forgetsEarlierAttempts where isSpent && !isLast && !isSeen && proof.hasNonce:
            return revoked(session, at: intent.now)
        case .takesEveryNonceForTheTime where isSpent && !isPrevious && !isLast && !isSeen && proof.hasNonce:
            let isKnown = proof.attempt.map { session.attempts.earlier.contains(String($0.prefix(8))) } ?? false
            return isKnown ? nil : revoked(session, at: intent.now)
        case .neverEndsOldTokens where isSpent && !isPrevious: return Decision(.nonceDemanded)
        case .rejectsTokensAheadOfTheRow where intent.generation > session.generation:
            return Decision(.refused(.unauthorized))
        case .limitsRepetitions where isPrevious && !isSeen && session.rotatedAt + 60 <= intent.now:
            return revoked(session, at: intent.now)
        case .repeatsForOlderTokens where isSpent && !isPrevious && !isSeen && proof.attempt == nil:
            return Decision(.repeated(session, Self.user(of: session), []))
        default: return nil
        }
    }

    private func revoked(_ session: Session, at now: Timestamp) -> Decision<RotationOutcome> {
        var next = session
        next.revokedAt = now
        return Decision(.revoked(next, .refreshTokenReused), [.replaceSession(session, with: next)])
    }

    private static func user(of session: Session) -> User {
        User(id: session.userID, appID: session.appID, identifiers: [], createdAt: session.createdAt)
    }
}
