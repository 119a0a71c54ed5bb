public import Foundation
public import HTTPTypes

/// Sends one HTTP request and returns its response. Pass your own to pin certificates or to test.
///
/// The client cancels the task of a call that exceeds its timeout, so a transport should stop when it is cancelled.
public protocol PreludeSessionTransport: Sendable {
    /// Sends a request without cookies and without a cache, and follows no redirects to other origins.
    ///
    /// - Parameters:
    ///   - request: Method, URL and header fields, to be sent unchanged.
    ///   - body: The body; `nil` for none.
    ///   - timeout: Seconds that the response may take.
    /// - Returns: The response, with any status.
    /// - Throws: `PreludeSessionError.timeout` after `timeout` seconds, `.network(underlying:)` without a connection,
    ///   `CancellationError` when its task is cancelled, `PreludeTransportFailure` for a known cause. Any other error is reported as
    ///   `.network(underlying:)` with a `PreludeTransportFailure` that contains it; a `URLError` stays the payload itself.
    func send(_ request: HTTPRequest, body: Data?, timeout: TimeInterval) async throws -> (HTTPResponse, Data)

    /// Sends a request, and rejects a response of more than `maximumResponseBytes` bytes.
    ///
    /// The default implementation calls `send(_:body:timeout:)` and checks the size of the complete response.
    ///
    /// - Throws: `PreludeSessionError.network(underlying:)` for a larger response.
    func send(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval, maximumResponseBytes: Int
    ) async throws -> (HTTPResponse, Data)
}

extension PreludeSessionTransport {
    public func send(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval, maximumResponseBytes: Int
    ) async throws -> (HTTPResponse, Data) {
        let answer = try await send(request, body: body, timeout: timeout)
        guard answer.1.count <= maximumResponseBytes else {
            throw PreludeSessionError.network(underlying: AnswerTooLarge())
        }
        return answer
    }
}

/// A response has more bytes than the caller accepts.
@_spi(Service) public struct AnswerTooLarge: Error {
    @_spi(Service) public init() {}
}
