/// `POST /migration`: exchanges a credential of the system an app comes from.
package struct MigrationRequest: Codable, Sendable, Equatable {
    /// The old credential, for the operator's backend to judge.
    package var token: String
    /// S256 challenge that finalize has to answer (RFC 7636).
    package var codeChallenge: String
    package var dispatchID: String?

    package init(token: String, codeChallenge: String, dispatchID: String? = nil) {
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
