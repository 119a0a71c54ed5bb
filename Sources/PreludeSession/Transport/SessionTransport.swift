public import Foundation
public import HTTPTypes

/// Carries one request and brings its answer. Give the client your own to log, pin, or test.
public protocol SessionTransport: Sendable {
    /// Sends a request, without following redirects to other origins, without cookies and without caches of its own.
    ///
    /// - Parameters:
    ///   - request: Method, URL and header fields, to be sent as they are.
    ///   - body: What goes along; `nil` for nothing.
    ///   - timeout: Seconds the answer may take.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `PreludeSessionError.timeout` after `timeout` seconds, `.network(underlying:)` without a connection.
    func send(_ request: HTTPRequest, body: Data?, timeout: TimeInterval) async throws -> (HTTPResponse, Data)
}

/// An answer as the SDK reads it.
struct TransportAnswer: Sendable {
    let status: Int
    let fields: HTTPFields
    let body: Data

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
}
