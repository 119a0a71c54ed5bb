public import Foundation
import HTTPTypes
import PreludeSession
import Synchronization

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The app's own backend, as a test plays it.
public typealias BackendHandler = @Sendable (URLRequest) async throws -> BackendAnswer

/// What the app's own backend answers.
public struct BackendAnswer: Sendable, Hashable {
    /// The status, such as 200.
    public var status: Int
    /// The header fields.
    public var headers: [String: String]
    /// The body.
    public var body: Data

    /// An answer with a body of any kind.
    ///
    /// - Parameters:
    ///   - status: The status, such as 200.
    ///   - headers: The header fields.
    ///   - body: The body.
    public init(status: Int = 200, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer with a JSON text.
    ///
    /// - Parameters:
    ///   - status: The status, such as 200.
    ///   - json: The body; `Content-Type` says that it is JSON.
    public init(status: Int = 200, json: String) {
        self.init(status: status, headers: ["Content-Type": "application/json"], body: Data(json.utf8))
    }
}

extension TestService {
    /// Answers the calls that the app makes to its own backend with `client.data(for:)`. Without it they find no one.
    ///
    /// - Parameter handler: Sees the request as it was sent, with its access token and proof. What it throws, the
    ///   app's call throws as `PreludeSessionError.network(underlying:)`.
    public func serveBackend(_ handler: @escaping BackendHandler) { world.backend.withLock { $0 = handler } }
}

extension ServiceWorld {
    /// Hands a request that is not for the service to the test.
    func askBackend(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        guard let handler = backend.withLock({ $0 }) else {
            throw PreludeSessionError.network(
                underlying: TestServiceError("nobody answers for the app's backend; call serveBackend(_:) first"))
        }
        let text = "\(request.scheme ?? "https")://\(request.authority ?? "")\(request.path ?? "/")"
        guard let url = URL(string: text) else { throw TestServiceError("\(text) is not a URL") }
        var native = URLRequest(url: url)
        native.httpMethod = request.method.rawValue
        native.httpBody = body
        for field in request.headerFields { native.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        let answer = try await handler(native)
        var fields = HTTPFields()
        for (name, value) in answer.headers {
            guard let name = HTTPField.Name(name) else { throw TestServiceError("\(name) is not a header's name") }
            fields[name] = value
        }
        return (HTTPResponse(status: .init(code: answer.status), headerFields: fields), answer.body)
    }
}
