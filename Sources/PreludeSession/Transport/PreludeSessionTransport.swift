public import Foundation
public import HTTPTypes
internal import SessionTokens
internal import SessionWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif
#if canImport(Security)
    internal import Security
#endif

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

/// An event of a URLSession task, with the task's identifier.
private enum URLSessionTaskEvent: Sendable {
    case head(Int, URLResponse)
    case data(Int, Data)
    case tooLarge(Int)
    case end(Int, (any Error)?)
}

/// Collects the responses of a URLSession's tasks as they arrive.
private actor URLSessionTaskCollector {
    private struct Exchange {
        let continuation: CheckedContinuation<(Data, URLResponse), any Error>
        var response: URLResponse?
        var body = Data()
    }

    private var running: [Int: Exchange] = [:]

    /// Starts a task and waits for its complete response.
    func run(_ task: URLSessionTask, maximumResponseBytes: Int) async throws -> (Data, URLResponse) {
        task.taskDescription = String(maximumResponseBytes)
        // If the task was cancelled before it is in `running`, its end would resume no continuation.
        guard !Task.isCancelled else { throw URLError(.cancelled) }
        return try await withCheckedThrowingContinuation { continuation in
            running[task.taskIdentifier] = Exchange(continuation: continuation)
            task.resume()
        }
    }

    /// Cancels a task that was started. A task that was not started is never started, because `run` checks cancellation.
    func cancel(_ task: URLSessionTask) {
        if running[task.taskIdentifier] != nil { task.cancel() }
    }

    func take(_ event: URLSessionTaskEvent) {
        switch event {
        case .head(let id, let response): running[id]?.response = response
        case .data(let id, let data): running[id]?.body.append(data)
        case .tooLarge(let id): running.removeValue(forKey: id)?.continuation.resume(throwing: AnswerTooLarge())
        case .end(let id, let error):
            guard let exchange = running.removeValue(forKey: id) else { return }
            if let error {
                exchange.continuation.resume(throwing: error)
            } else if let response = exchange.response {
                exchange.continuation.resume(returning: (exchange.body, response))
            } else {
                exchange.continuation.resume(throwing: URLError(.badServerResponse))
            }
        }
    }
}

/// Forwards the events of tasks in their order, limits the size of responses, and rejects redirects.
private final class URLSessionEventDelegate: NSObject, URLSessionDataDelegate {
    private let events: AsyncStream<URLSessionTaskEvent>.Continuation
    private let acceptsAnyCertificateOfThisDevice: Bool

    init(events: AsyncStream<URLSessionTaskEvent>.Continuation, acceptsAnyCertificateOfThisDevice: Bool) {
        self.events = events
        self.acceptsAnyCertificateOfThisDevice = acceptsAnyCertificateOfThisDevice
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if response.expectedContentLength > Self.remaining(of: dataTask) {
            reject(dataTask)
        } else {
            events.yield(.head(dataTask.taskIdentifier, response))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        // Counted here and not in the collector: a fast server could fill the memory before the collector runs.
        let remaining = Self.remaining(of: dataTask)
        guard remaining >= 0 else { return }
        guard data.count <= remaining else { return reject(dataTask) }
        dataTask.taskDescription = String(remaining - data.count)
        events.yield(.data(dataTask.taskIdentifier, data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        events.yield(.end(task.taskIdentifier, error))
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { events.finish() }

    /// Rejects redirects: a proof and a token are for one URL and must not be sent to another.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    #if canImport(Security)
        /// Accepts any certificate of this device if the app asked for it, and leaves all other hosts to the system.
        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let host = challenge.protectionSpace.host
            let isThisDevice = TargetURI.loopbackHosts.contains(host.contains(":") ? "[\(host)]" : host)
            guard acceptsAnyCertificateOfThisDevice, isThisDevice, let trust = challenge.protectionSpace.serverTrust
            else {
                return completionHandler(.performDefaultHandling, nil)
            }
            completionHandler(.useCredential, URLCredential(trust: trust))
        }
    #endif

    /// How many more bytes are accepted. The task carries the number; its delegate calls are serial.
    private static func remaining(of task: URLSessionTask) -> Int { task.taskDescription.flatMap { Int($0) } ?? 0 }

    private func reject(_ task: URLSessionTask) {
        task.taskDescription = "-1"
        task.cancel()
        events.yield(.tooLarge(task.taskIdentifier))
    }
}
