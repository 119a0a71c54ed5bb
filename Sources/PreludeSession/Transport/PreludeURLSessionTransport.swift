public import Foundation
public import HTTPTypes
internal import SessionTokens
internal import SessionWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The default transport: an ephemeral URLSession without cookies, cache and redirects.
///
/// Its timeout is URLSession's: seconds without a byte. A cancelled task stops its request. On Linux prefer the transport of
/// the product `PreludeSessionAsyncHTTPClient`: see <doc:RunningOnLinux>.
public final class PreludeURLSessionTransport: PreludeSessionTransport {
    private let session: URLSession
    private let collector: URLSessionTaskCollector

    /// Creates a transport with its own URLSession.
    public convenience init() { self.init(acceptsAnyCertificateOfThisDevice: false) }

    /// Creates a transport for a development service on this device. It accepts any certificate of such a service.
    ///
    /// - Throws: `PreludeSessionError.invalidConfiguration` for an https endpoint on another device. On Linux for each https
    ///   endpoint: URLSession there does not ask the app about a certificate.
    convenience init(acceptingAnyCertificateOf endpoint: Endpoint) throws(PreludeSessionError) {
        let origin = try endpoint.origin()
        if origin.hasPrefix("https://") {
            guard TargetURI(origin)?.isLoopback == true else {
                throw .invalidConfiguration("allowInsecureTLS is for a service on this device, at localhost")
            }
            #if !canImport(Security)
                throw .invalidConfiguration(
                    "allowInsecureTLS needs URLSession of Apple's systems: pass an AsyncHTTPClientTransport with a configuration"
                )
            #endif
        }
        self.init(acceptsAnyCertificateOfThisDevice: true)
    }

    private init(acceptsAnyCertificateOfThisDevice: Bool) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        let (events, source) = AsyncStream.makeStream(of: URLSessionTaskEvent.self)
        let delegate = URLSessionEventDelegate(
            events: source, acceptsAnyCertificateOfThisDevice: acceptsAnyCertificateOfThisDevice)
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        let collector = URLSessionTaskCollector()
        self.collector = collector
        // Ends when the session is invalidated: the delegate then finishes the stream.
        Task { for await event in events { await collector.take(event) } }
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval
    ) async throws -> (HTTPResponse, Data) {
        try await send(request, body: body, timeout: timeout, maximumResponseBytes: .max)
    }

    public func send(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval, maximumResponseBytes: Int
    ) async throws -> (HTTPResponse, Data) {
        guard Self.needsOwnConnection(request) else {
            return try await exchange(request, body: body, timeout: timeout, maximumResponseBytes: maximumResponseBytes)
        }
        var request = request
        request.headerFields[.connection] = "close"
        return try await PreludeURLSessionTransport()
            .exchange(request, body: body, timeout: timeout, maximumResponseBytes: maximumResponseBytes)
    }

    /// Whether a request must not use an open connection, nor leave one behind.
    ///
    /// On Linux URLSession uses libcurl. If an open connection closes before a response begins, libcurl sends the request
    /// again by itself, or hangs until the timeout if it has a body. A refresh spends a token, so only the client repeats it.
    private static func needsOwnConnection(_ request: HTTPRequest) -> Bool {
        #if canImport(FoundationNetworking)
            request.path == FrontendPath.refresh.rawValue
        #else
            false
        #endif
    }

    private func exchange(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval, maximumResponseBytes: Int
    ) async throws -> (HTTPResponse, Data) {
        let task = session.dataTask(with: try Self.native(request, body: body, timeout: timeout))
        do {
            let (data, response) = try await withTaskCancellationHandler {
                try await collector.run(task, maximumResponseBytes: maximumResponseBytes)
            } onCancel: { [collector] in
                Task { await collector.cancel(task) }
            }
            return (try Self.convert(response), data)
        } catch let error as URLError where error.code == .timedOut {
            throw PreludeSessionError.timeout
        } catch let error as URLError where error.isOfCancelledTask {
            throw CancellationError()
        } catch let error as PreludeSessionError {
            throw error
        } catch {
            throw PreludeSessionError.network(underlying: error)
        }
    }

    private static func native(_ request: HTTPRequest, body: Data?, timeout: TimeInterval) throws -> URLRequest {
        guard let scheme = request.scheme, let authority = request.authority,
            let url = URL(string: "\(scheme)://\(authority)\(request.path ?? "/")")
        else { throw PreludeSessionError.invalidConfiguration("the request has no valid URL") }
        var native = URLRequest(url: url, timeoutInterval: timeout)
        native.httpMethod = request.method.rawValue
        native.httpBody = body
        for field in request.headerFields { native.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        return native
    }

    private static func convert(_ response: URLResponse) throws -> HTTPResponse {
        guard let response = response as? HTTPURLResponse else {
            throw PreludeSessionError.network(underlying: URLError(.badServerResponse))
        }
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            fields.append(HTTPField(name: name, value: value))
        }
        return HTTPResponse(status: .init(code: response.statusCode), headerFields: fields)
    }
}
