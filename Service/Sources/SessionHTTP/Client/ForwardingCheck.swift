import HTTPTypes
import Hummingbird
import SessionDomain

/// Reports proxies that hide their clients: one that is not trusted, whose headers have no effect, and a trusted one that
/// names no client.
struct ForwardingCheck: RequestCheck {
    /// Headers in which proxies name the client and the host (RFC 7239 §4, and their older forms).
    static let headers: [HTTPField.Name] = [.forwardedFor, .forwardedHost, .forwarded]

    let options: EdgeOptions
    let log: ForwardingLog
    let environment: ServiceEnvironment

    func check(_ request: Request, _ context: ServiceRequestContext) {
        let peer = context.peerAddress
        if options.isTrusted(peer) {
            guard namesNoClient(request, peer: peer) else { return }
            let clients = HiddenClients(proxy: peer, header: options.clientAddressHeader.rawName)
            log.noteMissingClient(clients, environment: environment)
        } else if let header = forwardingHeader(of: request) {
            log.note(header.rawName, from: peer, logger: context.logger)
        }
    }

    private func forwardingHeader(of request: Request) -> HTTPField.Name? {
        Self.headers.first { request.headers.contains($0) }
            ?? (request.headers.contains(options.clientAddressHeader) ? options.clientAddressHeader : nil)
    }

    /// Only for the frontend API: backends, verifiers and health checks may be in the network of a proxy and call directly.
    private func namesNoClient(_ request: Request, peer: String) -> Bool {
        guard request.head.path?.hasPrefix("/v1/") ?? false,
            Client.forwardedAddress(request.headers, options: options) == nil
        else { return false }
        return !(options.exemptsLoopback && IPNetwork.loopback(contains: peer))
    }
}
