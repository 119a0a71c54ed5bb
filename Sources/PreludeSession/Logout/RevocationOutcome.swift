internal import SessionWire

/// What the result of a request means for a pending revocation.
///
/// Only definite responses of the service settle it. A captive portal, a proxy, another service at the same name or a wrong
/// setting of the service can cause any other response.
enum RevocationOutcome: Sendable, Equatable {
    /// The server revoked the session, or it never will: the token or the device key is not valid there.
    case settled
    /// The response decides nothing. Send the revocation again, at the earliest after that many seconds.
    case undecided(retryAfter: Int?)
    /// There is no response, and so there is none for other revocations now.
    case unanswered

    init(_ result: Result<TransportAnswer, any Error>) {
        switch result {
        case .success(let answer) where answer.status == 204: self = .settled
        case .success: self = .undecided(retryAfter: nil)
        case .failure(PreludeSessionError.deviceKeyLost): self = .settled
        case .failure(let response as ErrorResponse) where response.endsSession: self = .settled
        case .failure(let response as ErrorResponse):
            self = .undecided(retryAfter: response.details.retryAfter.map { Int($0) })
        case .failure: self = .unanswered
        }
    }
}
