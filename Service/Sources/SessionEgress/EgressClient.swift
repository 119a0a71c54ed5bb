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
                        body: try await Self.body(of: response, maximum: request.maximumAnswer))
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
