import SessionTokens
import SessionWire

extension ChallengeResponse {
    /// The members of its JSON, as `Encodable` writes them.
    var members: [String: JSONValue] { ["challenge_token": .string(challengeToken)] }
}
