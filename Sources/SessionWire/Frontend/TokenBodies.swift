/// `POST /login/finalize`: exchanges a challenge token for a session.
package struct FinalizeRequest: Codable, Sendable, Equatable {
    package var challengeToken: String
    package var codeVerifier: String?

    package init(challengeToken: String, codeVerifier: String? = nil) {
        self.challengeToken = challengeToken
        self.codeVerifier = codeVerifier
    }

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case codeVerifier = "code_verifier"
    }
}

/// `POST /refresh`: rotates the refresh token. The body may be empty.
package struct RefreshRequest: Codable, Sendable, Equatable {
    /// The token of a completed challenge. The new access token gets its scope.
    package var stepUpToken: String?

    package init(stepUpToken: String? = nil) { self.stepUpToken = stepUpToken }

    private enum CodingKeys: String, CodingKey { case stepUpToken = "step_up_token" }
}

/// The response of `/login/finalize` and `/refresh`. The refresh token is in a header or cookie.
package struct TokenResponse: Codable, Sendable, Equatable {
    package var accessToken: String
    /// Seconds since 1970.
    package var expiresAt: Int64
    /// `Bearer`, or `DPoP` for an access token that is bound to the key (RFC 9449 §5).
    package var tokenType: String?
    /// After a login: whether the login created the user. Absent after a refresh.
    package var isNewUser: Bool?

    package init(accessToken: String, expiresAt: Int64, tokenType: String? = nil, isNewUser: Bool? = nil) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.tokenType = tokenType
        self.isNewUser = isNewUser
    }

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case expiresAt = "expires_at"
        case tokenType = "token_type"
        case isNewUser = "is_new_user"
    }
}
