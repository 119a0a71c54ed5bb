internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL

/// The destination of a client's connections: an address that was checked, and the name that its certificate must have.
struct PinnedTarget: Hashable, Sendable {
    let scheme: EgressURL.Scheme
    let host: String
    let port: Int
    let address: String
    /// Whether requests share connections. The client of a target without it has none that another request has used, because
    /// each of its requests closes its own.
    let keepsConnections: Bool

    init(_ url: EgressURL, address: String, keepsConnections: Bool = true) {
        scheme = url.scheme
        host = url.host
        port = url.port
        self.address = address
        self.keepsConnections = keepsConnections
    }

    /// Makes a client for this target. It does not resolve names: the host is mapped to the address.
    ///
    /// - Parameters:
    ///   - eventLoopGroup: A group of NIO's own sockets. Network.framework would resolve names itself.
    func makeClient(tls: TLSConfiguration, keepAlive: TimeAmount, eventLoopGroup: any EventLoopGroup) -> HTTPClient {
        var connections = HTTPClient.Configuration.ConnectionPool()
        connections.idleTimeout = keepAlive
        // Hooks have seconds to answer, so a call must not wait for a free connection.
        connections.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // The caller decides whether to retry.
        connections.retryConnectionEstablishment = false
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)),
            connectionPool: connections, proxy: nil, decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.dnsOverride = [host: address]
        // Do not send our trace headers to third parties.
        configuration.tracing.tracer = nil
        configuration.http1_1ConnectionDebugInitializer = { [self] channel in
            hasPinnedPeer(channel)
                ? StatusGuard.add(to: channel)
                : channel.close().flatMap { channel.eventLoop.makeFailedFuture(UnexpectedPeer()) }
        }
        return HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration)
    }

    /// Compares the peer of the socket before anything is sent. This is a second line of defense behind the mapping
    /// above.
    private func hasPinnedPeer(_ channel: any Channel) -> Bool {
        guard let pinned = try? SocketAddress(ipAddress: address, port: port) else { return false }
        return channel.remoteAddress?.ipAddress == pinned.ipAddress && channel.remoteAddress?.port == port
    }

    /// The connection leads to another address than the pinned one.
    struct UnexpectedPeer: Error {}
}
