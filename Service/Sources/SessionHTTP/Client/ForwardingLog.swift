import Logging
package import SessionDomain
import Synchronization

/// Logs once per process that forwarding headers arrive from an address that is not a trusted proxy, and once per minute
/// that a trusted proxy names no client.
///
/// Usually the first is the operator's own proxy, and the setting is missing: the service then takes the proxy's address for
/// that of every client, and limits by address block all users together. One line is enough, because any client can send
/// these headers.
package final class ForwardingLog: Sendable {
    /// Milliseconds between two notices about trusted proxies.
    static let interval: Int64 = 60_000

    private let isWritten = Atomic(false)
    /// The last request of a trusted proxy without an address, and the last notice about one, each with its uptime.
    private let hidden = Mutex<(last: (clients: HiddenClients, at: Int64)?, notice: Int64?)>((nil, nil))

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

    func noteMissingClient(_ clients: HiddenClients, environment: ServiceEnvironment) {
        let now = environment.uptime()
        let isDue = hidden.withLock { hidden in
            hidden.last = (clients, now)
            if let notice = hidden.notice, now - notice < Self.interval { return false }
            hidden.notice = now
            return true
        }
        if isDue { environment.observer.observe(.notice(.clientAddressMissing(clients))) }
    }

    /// The trusted proxy that has hidden its clients lately.
    ///
    /// - Parameter now: The uptime.
    package func hiddenClients(at now: Int64) -> HiddenClients? {
        hidden.withLock { hidden in
            hidden.last.flatMap { now - $0.at < HiddenClients.lifetime ? $0.clients : nil }
        }
    }
}
