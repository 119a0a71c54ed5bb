internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
package import SessionDomain

/// Sends requests to the outside: https to allowed addresses, HTTP/1.1, no redirects, no proxy, no cookies, no
/// decompression.
///
/// A name is resolved once per call. Each of its addresses is checked, and the connection goes to the first allowed
/// one. So a name that resolves to another address a moment later (DNS rebinding) has no effect.
package final class EgressClient: Egress {
    private let policy: EgressPolicy
    private let resolver: any HostResolver
    private let addressPolicy: AddressPolicy
    private let pool: ClientPool
    private let observer: any ServiceObserver
    private let eventLoopGroup = MultiThreadedEventLoopGroup.singleton

    /// - Throws: `EgressPolicyError` when the file with additional trust roots has no certificates.
    package convenience init(
        policy: EgressPolicy, observer: any ServiceObserver = NoObserver()
    ) throws(EgressPolicyError) {
        try self.init(policy: policy, resolver: SystemHostResolver(), observer: observer)
    }

    package init(
        policy: EgressPolicy, resolver: any HostResolver, observer: any ServiceObserver = NoObserver()
    ) throws(EgressPolicyError) {
        self.observer = observer
        self.policy = policy
        self.resolver = resolver
        addressPolicy = AddressPolicy(allowedNetworks: policy.allowedNetworks)
        pool = ClientPool(
            tls: try policy.tlsConfiguration(), eventLoopGroup: eventLoopGroup,
            keepAlive: .seconds(Int64(policy.keepAlive)))
    }

    /// Closes all connections; running calls fail. Call this once before the last reference is released.
    package func shutdown() async { await pool.shutdown() }

    package func validate(url: String) throws(EgressError) { try policy.validate(url: url) }

    package func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        try await observer.trace(.egress(method: request.method.rawValue)) { span throws(EgressError) in
            var request = request
            if let span, request.continuesTrace { request.headers.append(("traceparent", span.traceparent)) }
            return try await observed(request, span)
        }
    }

    private func observed(
        _ request: EgressRequest, _ span: (any WorkSpan)?
    ) async throws(EgressError) -> EgressAnswer {
        let startedAt = observer.instant()
        do {
            let answer = try await answer(to: request, span)
            let result: EgressCall.Result = answer.status < 400 ? .answered : .errorStatus
            observer.observe(.called(EgressCall(result, seconds: observer.seconds(since: startedAt))))
            span?.note(.status(answer.status))
            return answer
        } catch {
            let result = EgressCall.Result(error)
            observer.observe(.called(EgressCall(result, seconds: observer.seconds(since: startedAt))))
            span?.note(.failed(result.rawValue))
            throw error
        }
    }

    private func answer(
        to request: EgressRequest, _ span: (any WorkSpan)?
    ) async throws(EgressError) -> EgressAnswer {
        let url = try EgressURL(request.url, allowsPlainHTTP: policy.allowsPlainHTTP)
        span?.note(.host(url.host))
        let deadline = Deadline.after(seconds: request.timeout)
        do {
            return try await Deadline.run(until: deadline, on: eventLoopGroup.any()) { [self] in
                let addresses = try await resolver.addresses(of: url.host)
                let address = try addressPolicy.firstAllowed(addresses, of: url.host)
                let target = PinnedTarget(url, address: address, keepsConnections: !request.needsNewConnection)
                return try await pool.withClient(for: target) { client in
                    let response = try await client.execute(Self.message(request, to: url), deadline: deadline)
                    request.onStatus?(Int(response.status.code))
                    return EgressAnswer(
                        status: Int(response.status.code),
                        body: try await Self.body(of: response, maximum: request.maximumAnswer),
                        contentType: response.headers.first(name: "content-type"))
                }
            }
        } catch {
            throw EgressError(error, host: url.host)
        }
    }

    private static func message(_ request: EgressRequest, to url: EgressURL) -> HTTPClientRequest {
        var message = HTTPClientRequest(url: url.text)
        message.method = HTTPMethod(rawValue: request.method.rawValue)
        message.headers = HTTPHeaders(request.headers.map { ($0.name, $0.value) })
        if request.needsNewConnection { message.headers.replaceOrAdd(name: "Connection", value: "close") }
        if request.method == .post {
            message.body =
                request.onSend.map {
                    .bytes(ReportedBody(bytes: request.body, report: $0), length: .known(Int64(request.body.count)))
                }
                ?? .bytes(ByteBuffer(bytes: request.body))
        }
        return message
    }

    /// Returns the whole body, or throws as soon as it is too large.
    private static func body(of response: HTTPClientResponse, maximum: Int) async throws -> Data {
        if let length = response.headers.first(name: "content-length").flatMap(Int.init), length > maximum {
            throw EgressError.answerTooLarge
        }
        var body = Data()
        for try await chunk in response.body {
            guard body.count + chunk.readableBytes <= maximum else { throw EgressError.answerTooLarge }
            body.append(contentsOf: chunk.readableBytesView)
        }
        return body
    }
}

/// Ends a connection when the server answers with a status that cannot answer a request: below 100, or 101.
///
/// AsyncHTTPClient ends the process on a final response below 100. A response with 101 (Switching Protocols) is valid only
/// after a request for it (RFC 9110 §15.2.2), and the egress sends none. Other interim responses pass; the client skips
/// them.
final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// The server answered with a status that cannot answer a request.
    struct InvalidStatus: Error {
        let code: UInt
    }

    private var hasFailed = false

    /// Adds a guard and a `JoinedRequest` to a connection of AsyncHTTPClient, between its decoder and its state machine.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandlers([StatusGuard(), JoinedRequest()], position: .after(decoder))
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

/// The body of a request, which reports when a connection asks for its bytes.
///
/// AsyncHTTPClient reads a collection of up to 4 MB on the event loop of the connection, after the head of the request. A
/// longer one is read in pieces, each with a report. For an `AsyncSequence` it would start a task on another thread.
struct ReportedBody: Collection, Sendable {
    let bytes: Data
    let report: @Sendable () -> Void

    var startIndex: Data.Index { bytes.startIndex }
    var endIndex: Data.Index { bytes.endIndex }
    var count: Int { bytes.count }

    subscript(index: Data.Index) -> UInt8 { bytes[index] }

    func index(after index: Data.Index) -> Data.Index { bytes.index(after: index) }

    func makeIterator() -> Data.Iterator {
        report()
        return bytes.makeIterator()
    }

    func withContiguousStorageIfAvailable<Result>(
        _ read: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        report()
        return try bytes.withContiguousStorageIfAvailable(read)
    }
}

extension EgressError {
    /// Describes a failed call. Names the host only: the rest of the URL may contain a secret.
    init(_ error: any Error, host: String) {
        switch error {
        case let error as EgressError: self = error
        case is CancellationError: self = .connectionFailed("The call was cancelled.")
        case let error as HostResolutionError: self = .cannotResolve("\(host): \(error.reason)")
        case let error as HTTPClientError: self.init(error, host: host)
        case let error as NIOSSLError: self = .connectionFailed(Self.text(error, host: host))
        case is NIOSSLExtraError: self = .connectionFailed("The certificate of \(host) is for another name.")
        case let error as StatusGuard.InvalidStatus:
            self = .connectionFailed("\(host) answered with the invalid status \(error.code).")
        case let error as IOError:
            self = .connectionFailed("No connection to \(host): \(String(cString: strerror(error.errnoCode)))")
        default: self = .connectionFailed("The call to \(host) failed (\(type(of: error))).")
        }
    }

    private init(_ error: HTTPClientError, host: String) {
        switch error {
        case .deadlineExceeded, .connectTimeout, .tlsHandshakeTimeout, .readTimeout, .writeTimeout,
            .getConnectionFromPoolTimeout:
            self = .timedOut
        case .cancelled: self = .connectionFailed("The call was cancelled.")
        case .remoteConnectionClosed: self = .connectionFailed("\(host) closed the connection.")
        default: self = .connectionFailed("The call to \(host) failed: \(error.shortDescription).")
        }
    }

    private static func text(_ error: NIOSSLError, host: String) -> String {
        guard case .handshakeFailed(let reason) = error else { return "TLS with \(host) failed." }
        return String(describing: reason).contains("CERTIFICATE_VERIFY_FAILED")
            ? "The certificate of \(host) is expired, not valid yet, or not from a trusted authority."
            : "The TLS handshake with \(host) failed."
    }
}
