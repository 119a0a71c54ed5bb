internal import SessionWire

/// The exchange of one refresh token with the server, as a state machine. It decides; the engine acts.
///
/// It begins with an attempt id that is stored before anything is sent, and repeats the request once when the response may be
/// lost: the server answers the same attempt again. The store is read before each request: if another process has rotated
/// meanwhile, a request with the old token could look like theft. A rejection that may be caused by a late or duplicated
/// request is never final before the store was read again. It looks up the device key once when the key does not match:
/// another client of the store may have replaced key and session.
struct RefreshExchange: Sendable {
    /// What to do next.
    enum Step: Sendable {
        /// Store a new attempt for the refresh token unless the store has one, then call `prepared()`.
        ///
        /// - Parameter replacing: Whether to delete the stored attempt first.
        case prepareAttempt(replacing: Bool)
        /// Read the session record again, then call `readSession(isSame:)`.
        case readSession
        case send
        /// Send again, because the response to the last request may be lost, or its proof had no nonce.
        case repeatRequest
        /// Look up the device key, then call `reloadedKey(isNew:)`.
        case reloadKey
        case finish(Conclusion)
    }

    /// How the exchange ended.
    enum Conclusion: Sendable {
        case answered(APIResponse)
        /// The store has another refresh token by now. Go on with it.
        case superseded
        /// The challenge was rejected and must be dropped.
        case challengeRejected(PreludeSessionError)
        /// The server failed. A refresh without the challenge may succeed.
        case challengeFailed(PreludeSessionError)
        /// The session has ended for this reason.
        case sessionEnded(PreludeSignOutReason, PreludeSessionError)
        /// Nothing is known to have changed.
        case failed(any Error)
    }

    /// Why the session record is read again.
    private enum Doubt {
        /// Nothing is sent yet. If another process has rotated the token meanwhile and deleted its attempt, the stored attempt
        /// is a new one, and a request with it would look like theft.
        case newRequest
        /// The request must be repeated. Another process may have repeated the rotation since.
        case repetition
        /// The server has answered 409: the refresh token was spent by an earlier request of this device, or the challenge
        /// was redeemed before.
        case spentToken(ErrorResponse)
    }

    private let carriesChallenge: Bool
    private var mayRepeat = true
    private var mayReplaceProof = true
    private var mayAddNonce = true
    private var mayReplaceAttempt = true
    private var mayReloadKey = true
    private var doubt: Doubt?
    /// How the exchange ends if the device key is still the same.
    private var conclusionOfLostKey: Conclusion?

    init(carriesChallenge: Bool) { self.carriesChallenge = carriesChallenge }

    /// The first step.
    var start: Step { .prepareAttempt(replacing: false) }

    /// Decides after the attempt is stored.
    mutating func prepared() -> Step { readAgain(.newRequest) }

    /// Decides after the session record was read again.
    ///
    /// - Parameter isSame: Whether the store still has the refresh token of this exchange.
    mutating func readSession(isSame: Bool) -> Step {
        defer { doubt = nil }
        guard isSame else { return .finish(.superseded) }
        switch doubt {
        case .newRequest, nil:
            mayAddNonce = true
            return .send
        case .repetition: return .repeatRequest
        case .spentToken(let response) where carriesChallenge: return .finish(.challengeRejected(response.error))
        case .spentToken(let response):
            // Only a store that was set back, or another holder of key, token and attempt, leads here. A new attempt gets a
            // definite answer.
            guard mayReplaceAttempt else { return .finish(.failed(response.error)) }
            mayReplaceAttempt = false
            return .prepareAttempt(replacing: true)
        }
    }

    /// Decides after a request was answered or failed.
    mutating func received(_ result: Result<APIResponse, any Error>) -> Step {
        switch result {
        case .success(let response): return .finish(.answered(response))
        case .failure(let error) where mayRepeat && Self.mayBeLost(error):
            (mayRepeat, mayAddNonce) = (false, true)
            return readAgain(.repetition)
        // RFC 9449 §8.
        case .failure(let response as ErrorResponse) where mayAddNonce && response.demandsNonce:
            mayAddNonce = false
            return readAgain(.repetition)
        // An HTTP client or a proxy has sent the request twice, and this is the response to the copy. The next request has a
        // new proof and the same attempt.
        case .failure(let response as ErrorResponse) where mayReplaceProof && response.isInvalidProof:
            (mayReplaceProof, mayAddNonce) = (false, true)
            return readAgain(.repetition)
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
        return readAgain(.newRequest)
    }

    private mutating func readAgain(_ doubt: Doubt) -> Step {
        self.doubt = doubt
        return .readSession
    }

    private mutating func rejected(_ response: ErrorResponse) -> Step {
        if response.status == 409, response.code == .tokenReused { return readAgain(.spentToken(response)) }
        if carriesChallenge, response.rejectsChallenge { return .finish(.challengeRejected(response.error)) }
        if carriesChallenge, response.status >= 500 { return .finish(.challengeFailed(response.error)) }
        guard response.endsSession else { return .finish(.failed(response.error)) }
        guard response.code == .dpopKeyMismatch else {
            return .finish(.sessionEnded(response.isOfSuspendedAccount ? .suspended : .ended, response.error))
        }
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
    static func mayBeLost(_ error: any Error) -> Bool {
        switch error {
        case PreludeSessionError.network: true
        case let response as ErrorResponse: response.isFromGateway && response.details.retryAfter == nil
        default: false
        }
    }
}
