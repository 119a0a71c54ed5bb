internal import SessionWire

/// What an error response means for a session and for a challenge.
extension ErrorResponse {
    /// Codes about a challenge. With any status they mean nothing for the session.
    private static let challengeCodes: Set<ErrorCode> = [
        .missingChallengeToken, .invalidChallengeToken, .expiredChallengeToken, .tokenMismatch, .tokenReused,
        .stepNotCompleted, .stepNotFound, .stepBypassed,
    ]

    /// Codes about the refresh itself, with or without a challenge.
    private static let refreshCodes: Set<ErrorCode> = [
        .unauthorized, .missingDPoPProof, .dpopKeyMismatch, .invalidDPoPProof, .useDPoPNonce, .rateLimited,
        "too_many_requests", .suspendedAccount, .inactiveUser,
    ]

    /// Whether the challenge cannot continue. It must be dropped, or every refresh would be rejected because of it.
    var endsChallenge: Bool { Self.challengeCodes.contains(code) }

    /// Whether a refresh with a challenge was rejected because of the challenge: any 4xx of the service itself whose code
    /// is not clearly about the session.
    var rejectsChallenge: Bool {
        guard !Self.refreshCodes.contains(code) else { return false }
        return endsChallenge || ((400..<500).contains(status) && !code.rawValue.hasPrefix("http_"))
    }

    /// Whether the proof was rejected, for example because it was used before.
    var isInvalidProof: Bool { status == 400 && code == .invalidDPoPProof }

    /// Whether the server asks for a proof with its nonce.
    var demandsNonce: Bool { code == .useDPoPNonce }

    /// Whether a rejected refresh ended the session. Only the service's own codes do; a proxy's 401 does not.
    var endsSession: Bool {
        isOfSuspendedAccount || status == 401 && (code == .unauthorized || code == .dpopKeyMismatch)
    }

    /// The service says it only to who has proven the session, and has ended all sessions of the user before.
    var isOfSuspendedAccount: Bool { status == 403 && (code == .suspendedAccount || code == .inactiveUser) }
}
