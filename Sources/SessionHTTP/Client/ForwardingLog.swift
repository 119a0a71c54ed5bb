import Logging
import SessionDomain
import Synchronization

/// Logs once per process that forwarding headers arrive from an address that is not a trusted proxy, and once per minute
/// that a trusted proxy names no client.
///
/// Usually the first this is the operator's own proxy, and the setting is missing: the service then takes the proxy's address for
/// that of every client, and limits by address block all users together. One line is enough, because any client can send
/// these headers.
@available(service, *)
package final class ForwardingLog: Sendable {
    /// Milliseconds between two notices about trusted proxies.
    static let interval: Int64 = 60_000

    private let isWritten = Atomic(false)
    /// The uptime of the last notice about a trusted proxy.
    private let lastNotice = Mutex<Int64?>(nil)

    package init() {}

    /// - Parameter peer: The address of the other end of the connection.
    func note(_ header: String, from peer: String, logger: Logger) {
        guard !isWritten.exchange(true, ordering: .relaxed) else { return }
        logger.warning(
            """
            a request has a forwarding header, but does not come from a trusted proxy: the header is ignored. If this is \
            your proxy, name its address with --trusted-proxy (trustedProxies in the file); until then, limits by address \
            count all its users together. If not, a client has sent the header, and nothing is wrong. This is logged once
            """,
            metadata: ["header": "\(header)", "address": "\(peer)"])
    }
    /// - Parameter proxy: The address of the trusted proxy.
    func noteMissingClient(of proxy: String, environment: ServiceEnvironment) {
        let now = environment.uptime()
        let isDue = lastNotice.withLock { last in
            if let last, now - last < Self.interval { return false }
            last = now
            return true
        }
        if isDue { environment.observer.observe(.notice(.clientAddressMissing(proxy: proxy))) }
    }
}
