internal import SessionWire

/// The exchange of one refresh token with the server, as a state machine. It decides; the engine sends.
///
/// It repeats the request once when the answer may be lost: the server answers the same key again. It looks up the device
/// key once when the key does not match: another client of the store may have replaced key and session.
struct RefreshExchange: Sendable {
    /// What to do next.
    enum Step: Sendable {
        case send
        /// Send again, because the answer to the last request may be lost.
        case repeatRequest
        /// Look up the device key, then call `reloadedKey(isNew:)`.
        case reloadKey
        case finish(Conclusion)
    }

    /// How the exchange ended.
    enum Conclusion: Sendable {
        case answered(TransportAnswer)
        /// The challenge was rejected and must be dropped.
        case challengeRejected(PreludeSessionError)
        /// The server failed. A refresh without the challenge may succeed.
        case challengeFailed(PreludeSessionError)
        /// The session has ended for this reason.
        case sessionEnded(SignOutReason, PreludeSessionError)
        /// Nothing is known to have changed.
        case failed(any Error)
    }

    private let carriesChallenge: Bool
    private var mayRepeat = true
    private var mayReloadKey = true
    /// How the exchange ends if the device key is still the same.
    private var conclusionOfLostKey: Conclusion?

    init(carriesChallenge: Bool) { self.carriesChallenge = carriesChallenge }

    /// Decides after a request was answered or failed.
    mutating func received(_ answer: Result<TransportAnswer, any Error>) -> Step {
        switch answer {
        case .success(let answer): return .finish(.answered(answer))
        case .failure(let error) where mayRepeat && Self.mayBeLost(error):
            mayRepeat = false
            return .repeatRequest
        case .failure(let response as ErrorResponse): return rejected(response)
        case .failure(PreludeSessionError.deviceKeyLost(let text)): return keyLost(.deviceKeyLost(text))
        case .failure(let error): return .finish(.failed(error))
        }
    }

    /// Decides after the device key was looked up.
    ///
    /// - Parameter isNew: Whether the store has another key than before.
    mutating func reloadedKey(isNew: Bool) -> Step {
        if !isNew, let conclusionOfLostKey { return .finish(conclusionOfLostKey) }
        mayRepeat = true
        return .send
    }

    private mutating func rejected(_ response: ErrorResponse) -> Step {
        if carriesChallenge, response.rejectsChallenge { return .finish(.challengeRejected(response.error)) }
        if carriesChallenge, response.status >= 500 { return .finish(.challengeFailed(response.error)) }
        guard response.endsSession else { return .finish(.failed(response.error)) }
        guard response.code == .dpopKeyMismatch else { return .finish(.sessionEnded(.ended, response.error)) }
        return keyLost(.deviceKeyLost("the session is bound to another device key; sign in again"))
    }

    private mutating func keyLost(_ error: PreludeSessionError) -> Step {
        let conclusion = Conclusion.sessionEnded(.deviceKeyLost, error)
        guard mayReloadKey else { return .finish(conclusion) }
        mayReloadKey = false
        conclusionOfLostKey = conclusion
        return .reloadKey
    }

    /// Whether the service may have processed the request. A server that sends `Retry-After` is not asked earlier.
    private static func mayBeLost(_ error: any Error) -> Bool {
        switch error {
        case PreludeSessionError.network: true
        case let response as ErrorResponse: response.isFromGateway && response.details.retryAfter == nil
        default: false
        }
    }
}
