/// `POST /login/finalize`: exchanges a challenge token for a session.
public struct FinalizeRequest: Codable, Sendable, Equatable {
    public var challengeToken: String
    public var codeVerifier: String?

    public init(challengeToken: String, codeVerifier: String? = nil) {
        self.challengeToken = challengeToken
        self.codeVerifier = codeVerifier
    }

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case codeVerifier = "code_verifier"
    }
}

/// `POST /refresh`: rotates the refresh token. The body may be empty.
public struct RefreshRequest: Codable, Sendable, Equatable {
    /// The token of a completed challenge. The new access token gets its scope.
    public var stepUpToken: String?

    public init(stepUpToken: String? = nil) { self.stepUpToken = stepUpToken }

    private enum CodingKeys: String, CodingKey { case stepUpToken = "step_up_token" }
}

/// The response of `/login/finalize` and `/refresh`. The refresh token is in a header or cookie.
public struct TokenResponse: Codable, Sendable, Equatable {
    public var accessToken: String
    /// Seconds since 1970.
    public var expiresAt: Int64
    /// `Bearer`, or `DPoP` for an access token that is bound to the key (RFC 9449 §5).
    public var tokenType: String?
    /// After a login: whether the login created the user. Absent after a refresh.
    public var isNewUser: Bool?

    public init(accessToken: String, expiresAt: Int64, tokenType: String? = nil, isNewUser: Bool? = nil) {
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
