internal import SessionWire

/// Decides whether a request of a login is sent once more. The service answers the right code, and the challenge of the same
/// attempt, again.
struct LoginRepetition: Sendable {
    private var mayRepeat = true
    private var mayReplaceProof = true

    /// Whether to send the request again after this error.
    mutating func isAllowed(after error: any Error) -> Bool {
        if mayRepeat, RefreshExchange.mayBeLost(error) {
            mayRepeat = false
            return true
        }
        // An HTTP client or a proxy has sent the request twice, and this is the answer to the copy.
        if mayReplaceProof, let response = error as? ErrorResponse, response.isInvalidProof {
            mayReplaceProof = false
            return true
        }
        return false
    }
}
