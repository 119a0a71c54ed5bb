import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

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
