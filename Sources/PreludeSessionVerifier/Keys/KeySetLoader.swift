public import Foundation

/// A key source that calls a function, for example to read the keys from the service of a unit test.
///
/// ```swift
/// let source = KeySetLoader { try Data(contentsOf: URL(fileURLWithPath: "jwks.json")) }
/// ```
public struct KeySetLoader: KeySetSource {
    private let load: @Sendable () async throws -> Data

    /// Creates a source from a function that returns a JWK Set (RFC 7517 §5).
    ///
    /// - Parameter load: Called for each fetch. A set is fresh for ``KeyCachePolicy/lifetime``.
    /// - Throws: Nothing. If `load` throws, the fetch fails.
    public init(_ load: @escaping @Sendable () async throws -> Data) { self.load = load }

    public func fetch() async throws -> FetchedKeySet { FetchedKeySet(json: try await load()) }
}
