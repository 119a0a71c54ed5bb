import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens

/// The public keys: one set for access tokens and hooks, another for challenges, never mixed.
struct KeySetRoutes: Sendable {
    /// Seconds for which a set may be cached.
    let maxAge: Int

    /// Keys of both sets, as the members of their JWKs (RFC 7517 §4).
    private struct KeySet: Encodable { let keys: [[String: String]] }

    @Sendable func accessKeys(_ request: Request, context: AppContext) async throws -> Response {
        try answer(context.app.publishedKeys)
    }

    @Sendable func challengeKeys(_ request: Request, context: AppContext) async throws -> Response {
        try answer(context.app.challengeKeys.keys.map(\.publishedMembers))
    }

    private func answer(_ keys: [[String: String]]) throws -> Response {
        var response = try Response.json(KeySet(keys: keys))
        response.headers[.cacheControl] = "public, max-age=\(maxAge)"
        return response
    }
}
