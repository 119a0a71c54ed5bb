#if !AsyncHTTPClient
    public import Foundation
    public import HTTPTypes
    public import PreludeSession

    // A stand-in without the trait: using the name is a compile error that names the missing trait.

    /// Needs the package trait `AsyncHTTPClient`.
    @available(
        *, unavailable,
        message: "Add the trait to the dependency: .package(url: \"…\", from: \"…\", traits: [\"AsyncHTTPClient\"])"
    )
    public struct AsyncHTTPClientTransport: PreludeSessionTransport {
        /// Needs the package trait `AsyncHTTPClient`.
        public init() {}

        /// Needs the package trait `AsyncHTTPClient`.
        ///
        /// - Throws: Always `PreludeSessionError.invalidConfiguration`.
        public func send(
            _ request: HTTPRequest, body: Data?, timeout: TimeInterval
        ) async throws -> (HTTPResponse, Data) {
            throw PreludeSessionError.invalidConfiguration("the package trait AsyncHTTPClient is missing")
        }
    }
#endif
