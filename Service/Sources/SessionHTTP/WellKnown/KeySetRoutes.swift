import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

/// The public keys: one set for access tokens and hooks, and another one for challenges.
struct KeySetRoutes: Sendable {
    /// Seconds for which clients may cache a key set.
    let maxAge: Int

    /// The paths that have no more than the public keys of an app, or lead to them.
    static let paths = Set([FrontendPath.jwks, .stepUpJWKS, .metadata].map(\.rawValue))

    /// A key set; each key is the members of its JWK (RFC 7517 §4).
    private struct KeySet: Encodable { let keys: [[String: String]] }

    @Sendable func accessKeys(_ request: Request, context: AppContext) async throws -> Response {
        try response(context.app.publishedKeys)
    }

    @Sendable func challengeKeys(_ request: Request, context: AppContext) async throws -> Response {
        try response(context.app.challengeKeys.keys.map(\.publishedMembers))
    }

    private func response(_ keys: [[String: String]]) throws -> Response {
        var response = try Response.json(KeySet(keys: keys))
        response.headers[.cacheControl] = "public, max-age=\(maxAge)"
        // Also without Origin: a cache must not give this response to a page (Fetch, "CORS protocol and HTTP caches").
        response.headers[.vary] = "Origin"
        return response
    }
}
