/// The body of `/stepup/continue` with optional members: a missing challenge has an error code of its own.
struct OptionalContinueRequest: Decodable {
    let challengeToken: String?
    let verificationToken: String?

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case verificationToken = "verification_token"
    }
}

/// The body of `/login/finalize` with optional members: a missing token has an error code of its own.
struct OptionalFinalizeRequest: Decodable {
    let challengeToken: String?
    let codeVerifier: String?

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case codeVerifier = "code_verifier"
    }
}
