import HTTPTypes
import Hummingbird

/// Reports forwarding headers of an address that is not a trusted proxy. They have no effect.
@available(service, *)
struct UntrustedForwarding: RequestCheck {
    /// Headers in which proxies name the client and the host (RFC 7239 §4, and their older forms).
    static let headers: [HTTPField.Name] = [.forwardedFor, .forwardedHost, .forwarded]

    let options: EdgeOptions
    let log: ForwardingLog

    func check(_ request: Request, _ context: ServiceRequestContext) {
        if let header = Self.headers.first(where: { request.headers.contains($0) }),
            !options.isTrusted(context.peerAddress)
        {
            log.note(header.rawName, from: context.peerAddress, logger: context.logger)
        }
    }
}
