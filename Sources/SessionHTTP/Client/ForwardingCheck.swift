import HTTPTypes
import Hummingbird
import SessionDomain

/// Reports proxies that hide their clients: one that is not trusted, whose headers have no effect, and a trusted one that
/// names no client.
@available(service, *)
struct ForwardingCheck: RequestCheck {
    /// Headers in which proxies name the client and the host (RFC 7239 §4, and their older forms).
    static let headers: [HTTPField.Name] = [.forwardedFor, .forwardedHost, .forwarded]

    let options: EdgeOptions
    let log: ForwardingLog
    let environment: ServiceEnvironment

    func check(_ request: Request, _ context: ServiceRequestContext) {
        let peer = context.peerAddress
        if options.isTrusted(peer) {
            if namesNoClient(request, peer: peer) { log.noteMissingClient(of: peer, environment: environment) }
        } else if let header = Self.headers.first(where: { request.headers.contains($0) }) {
            log.note(header.rawName, from: peer, logger: context.logger)
        }
    }

    /// Only for the frontend API: backends, verifiers and health checks may be in the network of a proxy and call directly.
    private func namesNoClient(_ request: Request, peer: String) -> Bool {
        guard request.head.path?.hasPrefix("/v1/") ?? false,
            Client.forwardedAddress(request.headers, options: options) == nil
        else { return false }
        return !(options.exemptsLoopback && IPNetwork.loopback(contains: peer))
    }
}
