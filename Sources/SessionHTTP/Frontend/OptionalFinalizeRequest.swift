/// The body of `/login/finalize` with optional members: a missing token has an error code of its own.
struct OptionalFinalizeRequest: Decodable {
    let challengeToken: String?
    let codeVerifier: String?

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case codeVerifier = "code_verifier"
    }
}
