/// `POST /migration`: exchanges a credential of the app's previous login system.
public struct MigrationRequest: Codable, Sendable, Equatable {
    /// The credential of the previous system. The operator's backend checks it.
    public var token: String
    /// The S256 challenge for the verifier of `/login/finalize` (RFC 7636).
    public var codeChallenge: String
    public var dispatchID: String?

    public init(token: String, codeChallenge: String, dispatchID: String? = nil) {
        self.token = token
        self.codeChallenge = codeChallenge
        self.dispatchID = dispatchID
    }

    private enum CodingKeys: String, CodingKey {
        case token
        case codeChallenge = "code_challenge"
        case dispatchID = "dispatch_id"
    }
}
