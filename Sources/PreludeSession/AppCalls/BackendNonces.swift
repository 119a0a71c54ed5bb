internal import SessionTokens

/// The last DPoP nonce of each of the app's backends, by origin (RFC 9449 §9).
final class BackendNonces {
    /// More backends than an app has. When it is reached, all nonces are dropped and learned again.
    private static let capacity = 16

    private var nonces: [String: String] = [:]

    subscript(origin: String) -> String? { nonces[origin] }

    /// Keeps the nonce of a response, if it has a valid one.
    func learn(_ nonce: String?, from origin: String) {
        guard let nonce, nonce.utf8.count <= DPoPProofChecker.maximumIDLength else { return }
        if nonces[origin] == nil, nonces.count >= Self.capacity { nonces = [:] }
        nonces[origin] = nonce
    }
}
