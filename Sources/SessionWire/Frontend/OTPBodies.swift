/// `POST /otp`: starts the verification of an identifier, or sends the code for a step of a challenge.
package struct StartOTPRequest: Codable, Sendable, Equatable {
    package var identifier: Identifier?
    package var challengeToken: String?
    package var loginConfigID: String?
    package var dispatchID: String?
    package var codeChallenge: String?

    package init(
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
package struct CheckOTPRequest: Codable, Sendable, Equatable {
    package var code: String
    package var challengeToken: String?

    package init(code: String, challengeToken: String? = nil) {
        self.code = code
        self.challengeToken = challengeToken
    }

    private enum CodingKeys: String, CodingKey {
        case code
        case challengeToken = "challenge_token"
    }
}

/// The response of every login method: the token for `/login/finalize`.
package struct ChallengeResponse: Codable, Sendable, Equatable {
    package var challengeToken: String

    package init(challengeToken: String) { self.challengeToken = challengeToken }

    private enum CodingKeys: String, CodingKey { case challengeToken = "challenge_token" }
}
