internal import Foundation
internal import SessionWire

/// Reads the response to a login's last request and to a refresh.
enum TokenAnswer {
    /// - Parameter previous: The session of a refresh. Its refresh token stays valid if the server sent no new one.
    /// - Throws: `.refreshFailed` for a response without tokens, or with a contradicting `token_type`.
    static func session(_ answer: TransportAnswer, previous: StoredSession?) throws -> StoredSession {
        guard let body = try? JSONDecoder().decode(TokenResponse.self, from: answer.body),
            let refreshToken = answer.header(HeaderName.refreshToken) ?? previous?.refreshToken
        else { throw PreludeSessionError.refreshFailed("the server's response contains no tokens") }
        guard AccessTokenBinding.matches(tokenType: body.tokenType, accessToken: body.accessToken) else {
            throw PreludeSessionError.refreshFailed("token_type in the response does not match the access token")
        }
        return StoredSession(
            refreshToken: refreshToken,
            refreshTokenExpiresAt: answer.header(HeaderName.refreshTokenExpiresAt).flatMap {
                try? Date($0, strategy: .iso8601)
            },
            accessToken: body.accessToken,
            accessTokenExpiresAt: Date(timeIntervalSince1970: Double(body.expiresAt)))
    }

    /// Whether the login with this response created the user. `false` if the service does not say it.
    static func isNewUser(_ answer: TransportAnswer) -> Bool {
        (try? JSONDecoder().decode(TokenResponse.self, from: answer.body))?.isNewUser ?? false
    }
}
