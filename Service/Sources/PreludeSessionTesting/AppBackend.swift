public import Foundation
package import HTTPTypes
import PreludeSession
import Synchronization

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension TestService {
    /// Answers the requests to the app's own backend in a test.
    public typealias BackendHandler = @Sendable (URLRequest) async throws -> BackendAnswer
}

extension TestService {
    /// A response of the app's own backend.
    public struct BackendAnswer: Sendable, Hashable {
        /// The status code, such as 200.
        public var status: Int
        /// The header fields.
        public var headers: [String: String]
        /// The body.
        public var body: Data

        /// Creates a response with a body of any content type.
        ///
        /// - Parameters:
        ///   - status: The status code, such as 200.
        ///   - headers: The header fields.
        ///   - body: The body.
        public init(status: Int = 200, headers: [String: String] = [:], body: Data = Data()) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// Creates a response with a JSON body.
        ///
        /// - Parameters:
        ///   - status: The status code, such as 200.
        ///   - json: The body. `Content-Type` is `application/json`.
        public init(status: Int = 200, json: String) {
            self.init(status: status, headers: ["Content-Type": "application/json"], body: Data(json.utf8))
        }
    }
}

extension TestService {
    /// Answers the requests that the app sends to its own backend with `client.data(for:)`. Without a handler these
    /// requests fail with `PreludeSessionError.network(underlying:)`.
    ///
    /// - Parameter handler: Receives the request as sent, with its access token and proof. The app's call throws an
    ///   error of the handler as `PreludeSessionError.network(underlying:)`.
    public func serveBackend(_ handler: @escaping BackendHandler) {
        world.appBackend.serve { request, body in
            try await handler(URLRequest(request, body: body)).response()
        }
    }
}

/// Receives every request of a client that is not for the service.
package final class AppBackend: Sendable {
    package typealias Handler = @Sendable (HTTPRequest, Data?) async throws -> (HTTPResponse, Data)

    private let handler = Mutex<Handler?>(nil)

    package init() {}

    /// Replaces the handler.
    package func serve(_ handler: @escaping Handler) { self.handler.withLock { $0 = handler } }

    func respond(to request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        guard let handler = handler.withLock({ $0 }) else {
            throw PreludeSessionError.network(
                underlying: TestServiceError("the test has no backend for the app; call serveBackend(_:) first"))
        }
        return try await handler(request, body)
    }
}

extension URLRequest {
    fileprivate init(_ request: HTTPRequest, body: Data?) throws {
        let text = "\(request.scheme ?? "https")://\(request.authority ?? "")\(request.path ?? "/")"
        guard let url = URL(string: text) else { throw TestServiceError("\(text) is not a URL") }
        self.init(url: url)
        httpMethod = request.method.rawValue
        httpBody = body
        for field in request.headerFields { addValue(field.value, forHTTPHeaderField: field.name.rawName) }
    }
}

extension TestService.BackendAnswer {
    fileprivate func response() throws -> (HTTPResponse, Data) {
        var fields = HTTPFields()
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { throw TestServiceError("\(name) is not a header field name") }
            fields[name] = value
        }
        return (HTTPResponse(status: .init(code: status), headerFields: fields), body)
    }
}
