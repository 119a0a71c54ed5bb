/// The body of `/stepup/continue` with optional members: a missing challenge has an error code of its own.
struct OptionalContinueRequest: Decodable {
    let challengeToken: String?
    let verificationToken: String?

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case verificationToken = "verification_token"
    }
}
