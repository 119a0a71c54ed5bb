/// How a refresh ended. A refresh that failed and changed nothing, for example without a network, throws instead.
enum RefreshOutcome: Sendable {
    /// There is a valid access token.
    case renewed(PreludeUser)
    /// Another client replaced the stored session during this refresh. Read the store again.
    case superseded
    /// The server rejected the step-up challenge in the request. The challenge is dropped; the session is unchanged.
    case challengeRejected(PreludeSessionError)
    /// The server failed (5xx) at a refresh with a challenge. The challenge is kept. A refresh without it may succeed.
    case challengeFailed(PreludeSessionError)
    /// The session of this refresh has ended, or was replaced by a login.
    case ended(PreludeSessionError)

    /// The user of a renewed session.
    ///
    /// - Throws: The error of every other outcome.
    func user() throws(PreludeSessionError) -> PreludeUser {
        switch self {
        case .renewed(let user): return user
        case .superseded:
            throw .refreshFailed(
                "other clients of the credential store replaced the session again and again; try again")
        case .challengeRejected(let error), .challengeFailed(let error), .ended(let error): throw error
        }
    }

    /// The error of every outcome but `renewed`.
    var error: PreludeSessionError? {
        do {
            _ = try user()
            return nil
        } catch {
            return error
        }
    }
}

/// A refresh in progress. All callers that need a token meanwhile share it.
struct RunningRefresh: Sendable {
    /// The fence at its start. A caller with a newer fence needs a refresh of its own.
    let fence: Int
    /// The completed challenge in the request; `nil` in an ordinary refresh.
    let challenge: StepUpChallenge?
    /// The expired access token that it replaces; `nil` if the token was still valid at its start. While this is the
    /// session's token, each caller needs this refresh.
    let expiredToken: String?
    let task: Task<RefreshOutcome, any Error>
}
