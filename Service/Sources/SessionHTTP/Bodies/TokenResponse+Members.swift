import SessionTokens
import SessionWire

extension TokenResponse {
    /// The members of its JSON, as `Encodable` writes them.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = ["access_token": .string(accessToken), "expires_at": .int(expiresAt)]
        if let tokenType { members["token_type"] = .string(tokenType) }
        if let isNewUser { members["is_new_user"] = .bool(isNewUser) }
        return members
    }
}
