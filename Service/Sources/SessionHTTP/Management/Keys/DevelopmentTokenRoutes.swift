import Hummingbird
import SessionDomain
import SessionWire

/// The user, scopes and lifetime of a development token.
struct DevelopmentTokenBody: Decodable {
    let userID: String
    let scopes: [String]?
    /// Seconds.
    let lifetime: Int?

    private enum CodingKeys: String, CodingKey {
        case scopes, lifetime
        case userID = "user_id"
    }
}

/// Access tokens without a login, for operators who try their backend.
struct DevelopmentTokenRoutes: Sendable {
    let tokens: DevelopmentTokens

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(DevelopmentTokenBody.self)
        let issued = try await tokens.issue(
            user: body.userID, app: context.appID, scopes: body.scopes ?? [], lifetime: body.lifetime)
        return try .json(
            TokenResponse(
                accessToken: issued.accessToken, expiresAt: issued.expiresAt.seconds, tokenType: "Bearer"),
            status: .created)
    }
}
