import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens

/// The public keys: one set for access tokens, another for challenges, never mixed.
struct KeySetRoutes: Sendable {
    @Sendable func accessKeys(_ request: Request, context: AppContext) async throws -> Response {
        try Self.answer(context.app.accessKeys)
    }

    @Sendable func challengeKeys(_ request: Request, context: AppContext) async throws -> Response {
        try Self.answer(context.app.challengeKeys)
    }

    private static func answer(_ keys: JWKSet) throws -> Response {
        var response = try Response.json(keys)
        response.headers[.cacheControl] = "public, max-age=300"
        return response
    }
}
