public import Foundation

/// A source of keys that is a function, such as one that asks the service of a unit test.
///
/// ```swift
/// let source = KeySetLoader { try Data(contentsOf: URL(fileURLWithPath: "jwks.json")) }
/// ```
public struct KeySetLoader: KeySetSource {
    private let load: @Sendable () async throws -> Data

    /// A source of the JWK Sets (RFC 7517 §5) that a function brings.
    ///
    /// - Parameter load: Called whenever the verifier wants a set; a set is used for ``KeyCachePolicy/lifetime``.
    /// - Throws: Nothing by itself; when `load` throws, the fetch has failed.
    public init(_ load: @escaping @Sendable () async throws -> Data) { self.load = load }

    public func fetch() async throws -> FetchedKeySet { FetchedKeySet(json: try await load()) }
}
