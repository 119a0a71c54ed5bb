internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL

/// Where connections of one client go: a judged address, under the name that the certificate must have.
struct PinnedTarget: Hashable, Sendable {
    let scheme: EgressURL.Scheme
    let host: String
    let port: Int
    let address: String

    init(_ url: EgressURL, address: String) {
        scheme = url.scheme
        host = url.host
        port = url.port
        self.address = address
    }

    /// A client for this target. It resolves nothing: its one name leads to the address.
    ///
    /// - Parameters:
    ///   - eventLoopGroup: One of NIO's sockets on every platform; Network.framework would resolve by itself.
    func makeClient(tls: TLSConfiguration, keepAlive: TimeAmount, eventLoopGroup: any EventLoopGroup) -> HTTPClient {
        var connections = HTTPClient.Configuration.ConnectionPool()
        connections.idleTimeout = keepAlive
        // Hooks have seconds for their answer; waiting for a connection would use them up.
        connections.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // A refused connection is an answer; trying again is for the caller, who knows whether it matters.
        connections.retryConnectionEstablishment = false
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)),
            connectionPool: connections, proxy: nil, decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.dnsOverride = [host: address]
        // No trace of ours is a stranger's business.
        configuration.tracing.tracer = nil
        configuration.http1_1ConnectionDebugInitializer = { [self] channel in
            isReached(by: channel)
                ? channel.eventLoop.makeSucceededVoidFuture()
                : channel.close().flatMap { channel.eventLoop.makeFailedFuture(NotPinned()) }
        }
        return HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration)
    }

    /// Looks at the socket's peer before anything is sent, should the pinning above ever fail.
    private func isReached(by channel: any Channel) -> Bool {
        guard let judged = try? SocketAddress(ipAddress: address, port: port) else { return false }
        return channel.remoteAddress?.ipAddress == judged.ipAddress && channel.remoteAddress?.port == port
    }

    /// A connection leads to another address than the judged one.
    struct NotPinned: Error {}
}
