public import Foundation
public import HTTPTypes

/// Carries one request and brings its answer. Give the client your own to pin or test.
///
/// The client cancels the task of a call of its own whose time is up, so a transport should stop when it is cancelled.
public protocol SessionTransport: Sendable {
    /// Sends a request, without following redirects to other origins, without cookies and without caches of its own.
    ///
    /// - Parameters:
    ///   - request: Method, URL and header fields, to be sent as they are.
    ///   - body: What goes along; `nil` for nothing.
    ///   - timeout: Seconds the answer may take.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `PreludeSessionError.timeout` after `timeout` seconds, `.network(underlying:)` without a connection,
    ///   `CancellationError` when its task is cancelled. Anything else is taken for `.network(underlying:)`.
    func send(_ request: HTTPRequest, body: Data?, timeout: TimeInterval) async throws -> (HTTPResponse, Data)

    /// Sends a request likewise, and takes no answer of more bytes than `maximumAnswer`. What a transport does not do
    /// itself is done by `send(_:body:timeout:)` and a look at the result.
    ///
    /// - Throws: `PreludeSessionError.network(underlying:)` for an answer that is larger.
    func send(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval, maximumAnswer: Int
    ) async throws -> (HTTPResponse, Data)
}

extension SessionTransport {
    public func send(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval, maximumAnswer: Int
    ) async throws -> (HTTPResponse, Data) {
        let answer = try await send(request, body: body, timeout: timeout)
        guard answer.1.count <= maximumAnswer else { throw PreludeSessionError.network(underlying: AnswerTooLarge()) }
        return answer
    }
}

/// An answer has more bytes than are read of one.
struct AnswerTooLarge: Error {}

/// An answer as the SDK reads it.
struct TransportAnswer: Sendable {
    let status: Int
    let fields: HTTPFields
    let body: Data

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
}
