public import Foundation

/// Fetches the service's public keys: `/.well-known/jwks.json`.
public protocol KeySetSource: Sendable {
    /// - Throws: Anything, when there is no answer with status 200. The verifier goes on with the keys it has.
    func fetch() async throws -> FetchedKeySet
}

/// An answer with a JWK Set (RFC 7517 §5).
public struct FetchedKeySet: Sendable {
    /// The body.
    public let json: Data
    /// `max-age` of `Cache-Control` (RFC 9111 §5.2.2.1), in seconds, if the answer has one.
    public let maxAge: TimeInterval?

    /// An answer that was fetched in your own way.
    public init(json: Data, maxAge: TimeInterval? = nil) {
        self.json = json
        self.maxAge = maxAge
    }
}
