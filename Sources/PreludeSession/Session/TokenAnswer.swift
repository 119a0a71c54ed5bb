internal import Foundation
internal import SessionWire

/// The response to a login's last request and to a refresh.
struct TokenAnswer: Sendable {
    /// The session that the response describes. Its access token may be invalid, see `checkedSession()`.
    let session: StoredSession
    /// Whether the login with this response created the user. `false` if the service does not say it.
    let isNewUser: Bool
    private let tokenType: String?

    /// - Parameter previous: The session of a refresh. Its refresh token stays valid if the response has no new one: the server
    ///   does not rotate it, or a proxy has removed it.
    /// - Throws: `.refreshFailed` for a response without tokens.
    init(_ answer: TransportAnswer, previous: StoredSession?) throws {
        let newToken = answer.header(HeaderName.refreshToken).flatMap { $0.isEmpty ? nil : $0 }
        guard let body = try? JSONDecoder().decode(TokenResponse.self, from: answer.body),
            let refreshToken = newToken ?? previous?.refreshToken
        else { throw PreludeSessionError.refreshFailed("the server's response contains no tokens") }
        let expiresAt = answer.header(HeaderName.refreshTokenExpiresAt).flatMap { try? Date($0, strategy: .iso8601) }
        session = StoredSession(
            refreshToken: refreshToken,
            refreshTokenExpiresAt: expiresAt ?? (newToken == nil ? previous?.refreshTokenExpiresAt : nil),
            accessToken: body.accessToken,
            accessTokenExpiresAt: Date(timeIntervalSince1970: Double(body.expiresAt)))
        isNewUser = body.isNewUser ?? false
        tokenType = body.tokenType
    }

    /// The session, if its access token can be used.
    ///
    /// - Throws: `.refreshFailed` for a token that is not a JWT of a user, or that contradicts `token_type`. Nothing of such a
    ///   response may be stored: without a request until the token expires, the session could not recover.
    func checkedSession() throws -> StoredSession {
        guard AccessTokenBinding.matches(tokenType: tokenType, accessToken: session.accessToken) else {
            throw PreludeSessionError.refreshFailed("token_type in the response does not match the access token")
        }
        _ = try PreludeUser(accessToken: session.accessToken)
        return session
    }
}
