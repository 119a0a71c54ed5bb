/// `POST /otp`: starts the verification of an identifier, or sends the code for a step of a challenge.
public struct StartOTPRequest: Codable, Sendable, Equatable {
    public var identifier: Identifier?
    public var challengeToken: String?
    public var loginConfigID: String?
    public var dispatchID: String?
    public var codeChallenge: String?

    public init(
        identifier: Identifier? = nil, challengeToken: String? = nil, loginConfigID: String? = nil,
        dispatchID: String? = nil, codeChallenge: String? = nil
    ) {
        self.identifier = identifier
        self.challengeToken = challengeToken
        self.loginConfigID = loginConfigID
        self.dispatchID = dispatchID
        self.codeChallenge = codeChallenge
    }

    private enum CodingKeys: String, CodingKey {
        case identifier
        case challengeToken = "challenge_token"
        case loginConfigID = "login_config_id"
        case dispatchID = "dispatch_id"
        case codeChallenge = "code_challenge"
    }
}

/// `POST /otp/check`: checks a code.
public struct CheckOTPRequest: Codable, Sendable, Equatable {
    public var code: String
    public var challengeToken: String?

    public init(code: String, challengeToken: String? = nil) {
        self.code = code
        self.challengeToken = challengeToken
    }

    private enum CodingKeys: String, CodingKey {
        case code
        case challengeToken = "challenge_token"
    }
}

/// The response of every login method, with the token for `/login/finalize`, and of every step, with the token of the next.
public struct ChallengeResponse: Codable, Sendable, Equatable {
    public var challengeToken: String
    /// What the passkey signs, if the next step is `verify_passkey`.
    public var passkeyOptions: PasskeyRequestOptions?

    public init(challengeToken: String, passkeyOptions: PasskeyRequestOptions? = nil) {
        self.challengeToken = challengeToken
        self.passkeyOptions = passkeyOptions
    }

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case passkeyOptions = "public_key_credential_request_options"
    }
}

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

/// An identifier of a user: a phone number or an email address.
public struct Identifier: Codable, Sendable, Hashable {
    /// `phone_number` or `email_address`.
    public var type: String
    public var value: String

    public init(type: String, value: String) {
        self.type = type
        self.value = value
    }
}

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
