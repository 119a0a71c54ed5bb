public import AsyncHTTPClient
public import Foundation
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
@_spi(Service) public import PreludeSession

/// A transport on AsyncHTTPClient, without URLSession and its defects on Linux.
///
/// It sends each request once, keeps no cookies, follows no redirects and decompresses nothing. Connections are kept open
/// for the next request. Its threads are shared with all of NIO in the process.
///
/// You need not shut it down: it closes its connections when the last client that uses it is released.
public final class AsyncHTTPClientTransport: PreludeSessionTransport {
    private let client: HTTPClient
    private let environment: SDKEnvironment

    /// Creates a transport with its own connections: HTTP/1.1, TLS with the system's trusted certificates, no proxy.
    ///
    /// An open connection without requests is closed after 30 seconds, which is earlier than common proxies close it.
    public convenience init() {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.tracing.tracer = nil
        self.init(configuration: configuration)
    }

    /// Creates a transport with its own connections and your configuration.
    ///
    /// - Parameter configuration: For example other trusted certificates, or a proxy. Redirects, decompression, HTTP/2
    ///   and repeated attempts to connect are always off: a proof is for one URL, and the client repeats what may be
    ///   repeated.
    public convenience init(configuration: HTTPClient.Configuration) {
        self.init(configuration: configuration, environment: .live)
    }

    /// - Parameter environment: Its `sleep` ends requests that take too long.
    package init(configuration: HTTPClient.Configuration, environment: SDKEnvironment) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.connectionPool.retryConnectionEstablishment = false
        // The guard is for connections of HTTP/1.1.
        configuration.httpVersion = .http1Only
        let initializer = configuration.http1_1ConnectionDebugInitializer
        configuration.http1_1ConnectionDebugInitializer = { channel in
            StatusGuard.add(to: channel).flatMap {
                initializer?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
            }
        }
        client = HTTPClient(configuration: configuration)
        self.environment = environment
    }

    // No request is running now: each holds a reference.
    deinit { client.shutdown { _ in } }

    /// Sends a request and returns the response with any status and any size.
    ///
    /// - Parameters:
    ///   - request: Method, URL and header fields, which are sent unchanged.
    ///   - body: The body; `nil` for none.
    ///   - timeout: Seconds for everything: name, connection, request and the whole response.
    /// - Throws: `PreludeSessionError.timeout` after `timeout` seconds, `.network(underlying:)` without a complete response,
    ///   `.invalidConfiguration` for a request without a valid URL, `CancellationError` when its task is cancelled.
    public func send(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval
    ) async throws -> (HTTPResponse, Data) {
        try await send(request, body: body, timeout: timeout, maximumResponseBytes: .max)
    }

    /// Sends a request, and closes the connection as soon as the response has more than `maximumResponseBytes` bytes.
    ///
    /// - Parameters:
    ///   - request: Method, URL and header fields, which are sent unchanged.
    ///   - body: The body; `nil` for none.
    ///   - timeout: Seconds for everything: name, connection, request and the whole response.
    ///   - maximumResponseBytes: The largest body of the response, in bytes.
    /// - Throws: As ``send(_:body:timeout:)``, and `.network(underlying:)` for a larger response.
    public func send(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval, maximumResponseBytes: Int
    ) async throws -> (HTTPResponse, Data) {
        let message = try HTTPClientRequest(request, body: body)
        do {
            // AsyncHTTPClient's own deadline ends with the head of the response.
            return try await environment.withDeadline(after: timeout) { [client] in
                // AsyncHTTPClient may send the request of a task that was cancelled before.
                try Task.checkCancellation()
                let response = try await client.execute(message, deadline: .distantFuture)
                return (HTTPResponse(response), try await response.wholeBody(maximum: maximumResponseBytes))
            }
        } catch {
            throw PreludeSessionError.failure(
                error, host: request.authority ?? "", isCancelled: Task.isCancelled)
        }
    }
}

// Requests and responses in the types of AsyncHTTPClient.

extension HTTPClientRequest {
    /// - Throws: `PreludeSessionError.invalidConfiguration` for a request without authority, or with another scheme than
    ///   http and https.
    init(_ request: HTTPRequest, body: Data?) throws(PreludeSessionError) {
        guard let scheme = request.scheme, ["http", "https"].contains(scheme), let authority = request.authority
        else {
            throw .invalidConfiguration("the request has no valid URL")
        }
        self.init(url: "\(scheme)://\(authority)\(request.path ?? "/")")
        method = HTTPMethod(rawValue: request.method.rawValue)
        headers = HTTPHeaders(request.headerFields.map { ($0.name.rawName, $0.value) })
        if let body { self.body = .bytes(ByteBuffer(bytes: body)) }
    }
}

extension HTTPResponse {
    /// Status and header fields. Fields with the same name stay separate, such as `Set-Cookie`.
    init(_ response: HTTPClientResponse) {
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        self.init(status: .init(code: Int(response.status.code)), headerFields: fields)
    }
}

extension HTTPClientResponse {
    /// Reads the body to its end.
    ///
    /// - Throws: `AnswerTooLarge` as soon as more than `maximum` bytes are announced or have arrived.
    func wholeBody(maximum: Int) async throws -> Data {
        if let length = headers.first(name: "content-length").flatMap(Int.init), length > maximum {
            throw AnswerTooLarge()
        }
        var whole = Data()
        for try await part in body {
            guard part.readableBytes <= maximum - whole.count else { throw AnswerTooLarge() }
            whole.append(contentsOf: part.readableBytesView)
        }
        return whole
    }
}

/// Ends a connection when the server answers with a status that cannot answer a request: below 100, or 101.
///
/// AsyncHTTPClient ends the process on a final response below 100. A response with 101 (Switching Protocols) is valid only
/// after a request for it (RFC 9110 §15.2.2), and the SDK sends none. Other interim responses pass; the client skips
/// them.
final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// The server answered with a status that cannot answer a request.
    struct InvalidStatus: Error {
        let code: UInt
    }

    private var hasFailed = false

    /// Adds a guard to a connection of AsyncHTTPClient, between its decoder and its state machine.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(StatusGuard(), position: .after(decoder))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        guard case .head(let head) = unwrapInboundIn(data), Self.isInvalid(head.status.code) else {
            context.fireChannelRead(data)
            return
        }
        hasFailed = true
        context.fireErrorCaught(InvalidStatus(code: head.status.code))
        context.close(promise: nil)
    }

    private static func isInvalid(_ code: UInt) -> Bool { code < 100 || code == 101 }
}
