public import Foundation

/// Fetches the service's public keys, by default from `/.well-known/jwks.json`.
public protocol KeySetSource: Sendable {
    /// Fetches the key set.
    ///
    /// - Throws: Any error, if there is no response with status 200. The verifier continues with its current keys.
    func fetch() async throws -> FetchedKeySet
}

/// A response with a JWK Set (RFC 7517 §5).
public struct FetchedKeySet: Sendable {
    /// The body.
    public let json: Data
    /// `max-age` of `Cache-Control` (RFC 9111 §5.2.2.1) in seconds; `nil` if the response has none.
    public let maxAge: TimeInterval?

    /// Creates a response for your own source.
    public init(json: Data, maxAge: TimeInterval? = nil) {
        self.json = json
        self.maxAge = maxAge
    }
}
