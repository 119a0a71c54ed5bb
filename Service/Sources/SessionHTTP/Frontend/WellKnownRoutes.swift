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

/// The authorization server metadata of an app (RFC 8414), for resource servers that look for keys there.
///
/// It has only members that are true for this service, which is no OAuth 2.0 server: it has no endpoint for
/// authorization, tokens or revocation by the rules of OAuth, and no grant or response types.
struct MetadataRoute: Sendable {
    /// Seconds for which clients may cache the response.
    let maxAge: Int

    private struct Metadata: Encodable {
        /// A URL, as RFC 8414 §2 requires. The claim `iss` is the host of this URL.
        let issuer: String
        let jwks: String
        /// RFC 9449 §5.1.
        let proofAlgorithms: [String]

        private enum CodingKeys: String, CodingKey {
            case issuer
            case jwks = "jwks_uri"
            case proofAlgorithms = "dpop_signing_alg_values_supported"
        }
    }

    @Sendable func show(_ request: Request, context: AppContext) async throws -> Response {
        let origin = context.app.mainOrigin
        var response = try Response.json(
            Metadata(
                issuer: origin, jwks: origin + FrontendPath.jwks.rawValue,
                proofAlgorithms: [SignatureAlgorithm.es256.rawValue]))
        response.headers[.cacheControl] = "public, max-age=\(maxAge)"
        // Also without Origin: a cache must not give this response to a page (Fetch, "CORS protocol and HTTP caches").
        response.headers[.vary] = "Origin"
        return response
    }
}
