internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
package import SessionDomain

/// The one egress: https to judged addresses, HTTP/1.1, no redirects, no proxy, no cookies, no decompression.
///
/// A name is resolved once. Each of its addresses is judged, and the connection goes to the first that is acceptable,
/// so an answer that changes between look and leap (DNS rebinding) has nobody to deceive.
package final class EgressClient: Egress {
    private let policy: EgressPolicy
    private let resolver: any HostResolver
    private let judge: AddressPolicy
    private let pool: ClientPool
    private let eventLoopGroup = MultiThreadedEventLoopGroup.singleton

    /// - Throws: `EgressPolicyError` when the file with additional trust roots holds no certificates.
    package convenience init(policy: EgressPolicy) throws(EgressPolicyError) {
        try self.init(policy: policy, resolver: SystemHostResolver())
    }

    package init(policy: EgressPolicy, resolver: any HostResolver) throws(EgressPolicyError) {
        self.policy = policy
        self.resolver = resolver
        judge = AddressPolicy(allowedNetworks: policy.allowedNetworks)
        pool = ClientPool(
            tls: try policy.tlsConfiguration(), eventLoopGroup: eventLoopGroup,
            keepAlive: .seconds(Int64(policy.keepAlive)))
    }

    /// To be called once, before the last reference goes. Calls under way fail.
    package func shutdown() async { await pool.shutdown() }

    package func validate(url: String) throws(EgressError) {
        let url = try EgressURL(url, allowsPlainHTTP: policy.allowsPlainHTTP)
        // Names of the machine itself need no resolver either (RFC 6761 §6.3).
        let isLocal = url.host == "localhost" || url.host.hasSuffix(".localhost")
        let known = isLocal ? ["127.0.0.1", "::1"] : AddressInfo.literal(url.host).map { [$0] }
        if let known { _ = try judge.firstAcceptable(known, of: url.host) }
    }

    package func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        let url = try EgressURL(request.url, allowsPlainHTTP: policy.allowsPlainHTTP)
        let deadline = Deadline.after(seconds: request.timeout)
        do {
            return try await Deadline.run(until: deadline, on: eventLoopGroup.next()) { [self] in
                let addresses = try await resolver.addresses(of: url.host)
                let address = try judge.firstAcceptable(addresses, of: url.host)
                return try await pool.withClient(for: PinnedTarget(url, address: address)) { client in
                    let response = try await client.execute(Self.message(request, to: url), deadline: deadline)
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
        if request.method == .post { message.body = .bytes(ByteBuffer(bytes: request.body)) }
        return message
    }

    /// The whole body, or an error as soon as it is known to be too large.
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
