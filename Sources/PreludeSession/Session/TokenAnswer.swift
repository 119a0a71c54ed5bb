internal import Foundation
internal import SessionWire

/// Reads the answer of finalize and refresh.
enum TokenAnswer {
    /// - Parameter previous: Whose refresh token goes on if the server did not rotate it.
    static func session(_ answer: TransportAnswer, previous: StoredSession?) throws -> StoredSession {
        guard let body = try? JSONDecoder().decode(TokenResponse.self, from: answer.body),
            let refreshToken = answer.header(HeaderName.refreshToken) ?? previous?.refreshToken
        else { throw PreludeSessionError.refreshFailed("the server's answer holds no tokens") }
        guard AccessTokenBinding.agrees(with: body.tokenType, body.accessToken) else {
            throw PreludeSessionError.refreshFailed("the answer's token_type is not that of its access token")
        }
        return StoredSession(
            refreshToken: refreshToken,
            refreshTokenExpiresAt: answer.header(HeaderName.refreshTokenExpiresAt).flatMap {
                try? Date($0, strategy: .iso8601)
            },
            accessToken: body.accessToken,
            accessTokenExpiresAt: Date(timeIntervalSince1970: Double(body.expiresAt)))
    }
}
