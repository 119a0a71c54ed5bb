internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import SessionDomain
internal import Synchronization

/// The clients of recently called targets. Each keeps connections open and a TLS context, which is expensive to make.
///
/// At most `maximumIdle` idle clients are kept; the least recently used one is closed first. A client in use is never
/// closed, so there may be more clients while calls run.
final class ClientPool: Sendable {
    static let maximumIdle = 32

    private struct Entry {
        let client: HTTPClient
        var users = 0
        var lastUse = 0
    }

    private let tls: TLSConfiguration
    private let eventLoopGroup: any EventLoopGroup
    private let maximumIdle: Int
    private let keepAlive: TimeAmount
    private let state = Mutex(State())

    private struct State {
        var entries: [PinnedTarget: Entry] = [:]
        var uses = 0
        var isShutDown = false
    }

    init(
        tls: TLSConfiguration, eventLoopGroup: any EventLoopGroup, maximumIdle: Int = ClientPool.maximumIdle,
        keepAlive: TimeAmount = .seconds(4)
    ) {
        self.tls = tls
        self.eventLoopGroup = eventLoopGroup
        self.maximumIdle = maximumIdle
        self.keepAlive = keepAlive
    }

    var targets: Set<PinnedTarget> { state.withLock { Set($0.entries.keys) } }

    /// Calls `work` with the target's client. The client is not closed until the work ends.
    func withClient<Answer: Sendable>(
        for target: PinnedTarget, _ work: (HTTPClient) async throws -> Answer
    ) async throws -> Answer {
        let client = try acquire(target)
        defer { release(target) }
        return try await work(client)
    }

    /// Closes all clients, including those in use. Later calls fail.
    ///
    /// Waits at most one second: a connection that hangs must not delay the end of the process.
    func shutdown() async {
        let clients = state.withLock { state in
            defer { state.entries = [:] }
            state.isShutDown = true
            return state.entries.values.map(\.client)
        }
        let closings: [EventLoopFuture<Void>] = clients.map { $0.shutdown() }
        let eventLoop = eventLoopGroup.next()
        // A client that does not close in time, or fails to close, is ignored.
        try? await Deadline.run(until: .now() + .seconds(1), on: eventLoop) {
            try await CancellableContinuation.wait { closed in
                EventLoopFuture.andAllComplete(closings, on: eventLoop).whenComplete { closed.resume(with: $0) }
            }
        }
    }

    private func acquire(_ target: PinnedTarget) throws(EgressError) -> HTTPClient {
        let client: HTTPClient? = state.withLock { state in
            guard !state.isShutDown else { return nil }
            var entry =
                state.entries[target]
                ?? Entry(client: target.makeClient(tls: tls, keepAlive: keepAlive, eventLoopGroup: eventLoopGroup))
            entry.users += 1
            state.entries[target] = entry
            return entry.client
        }
        guard let client else { throw .connectionFailed("The service is shutting down.") }
        return client
    }

    private func release(_ target: PinnedTarget) {
        let surplus: [HTTPClient] = state.withLock { state in
            state.uses += 1
            state.entries[target]?.users -= 1
            state.entries[target]?.lastUse = state.uses
            var surplus: [HTTPClient] = []
            while state.entries.count > maximumIdle,
                let oldest = state.entries.filter({ $0.value.users == 0 }).min(by: isOlder)
            {
                state.entries[oldest.key] = nil
                surplus.append(oldest.value.client)
            }
            return surplus
        }
        // No caller waits for an idle client to close, and a failure has no effect.
        for client in surplus { client.shutdown { _ in } }
    }

    private func isOlder(_ one: (key: PinnedTarget, value: Entry), _ other: (key: PinnedTarget, value: Entry)) -> Bool {
        one.value.lastUse < other.value.lastUse
    }
}

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

/// Sends the head of a request in one piece with the begin of its body.
///
/// AsyncHTTPClient flushes the head before it asks for the body. For a short body, this doubles the calls of the system and the
/// packets. With TLS, the head and the body are records of their own in one packet.
final class JoinedRequest: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// Whether the last part was a head whose body follows.
    private var holdsHead = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            holdsHead = head.headers.first(name: "content-length").flatMap(Int.init) ?? 0 > 0
        } else {
            holdsHead = false
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        if !holdsHead { context.flush() }
    }
}

/// An egress policy cannot be applied.
package enum EgressPolicyError: Error, Equatable {
    /// The file at this path is missing or contains no PEM certificate.
    case unreadableTrustRoots(String)
}

extension EgressPolicy {
    /// Requires TLS 1.2 or later, a complete certificate chain and a matching name. Trusts the system's authorities and
    /// the operator's.
    func tlsConfiguration() throws(EgressPolicyError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        guard let path = additionalTrustRoots else { return configuration }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw .unreadableTrustRoots(path)
        }
        configuration.additionalTrustRoots = [.certificates(certificates)]
        return configuration
    }
}
