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

/// The response of every login method: the token for `/login/finalize`.
public struct ChallengeResponse: Codable, Sendable, Equatable {
    public var challengeToken: String

    public init(challengeToken: String) { self.challengeToken = challengeToken }

    private enum CodingKeys: String, CodingKey { case challengeToken = "challenge_token" }
}
