package import HTTPTypes
import Hummingbird
import Logging
package import SessionDomain
import Synchronization

/// The operator's settings for the proxies in front of the service.
package struct EdgeOptions: Sendable {
    /// Networks of proxies whose forwarding headers count.
    package var trustedProxies: [IPNetwork]
    /// The header in which a trusted proxy sends the client's address. No other one is read: most proxies let those of their
    /// clients pass.
    package var clientAddressHeader: HTTPField.Name
    /// The header in which a trusted proxy sends the client's country (ISO 3166-1 alpha-2).
    package var countryHeader: HTTPField.Name?
    /// Whether limits by address do not apply to loopback addresses. For development only.
    package var exemptsLoopback: Bool
    /// Whether trusted proxies decide in `traceparent` which traces are recorded.
    package var followsProxyTraces: Bool

    package init(
        trustedProxies: [IPNetwork] = [], clientAddressHeader: HTTPField.Name? = nil,
        countryHeader: HTTPField.Name? = nil, exemptsLoopback: Bool = false, followsProxyTraces: Bool = false
    ) {
        self.trustedProxies = trustedProxies
        self.clientAddressHeader = clientAddressHeader ?? .forwardedFor
        self.countryHeader = countryHeader
        self.exemptsLoopback = exemptsLoopback
        self.followsProxyTraces = followsProxyTraces
    }

    /// Whether an address belongs to a trusted proxy.
    func isTrusted(_ address: String) -> Bool { trustedProxies.contains { $0.contains(address) } }
}

/// The `for` parameters of `Forwarded` headers (RFC 7239 §4), in the order of the proxies.
///
/// A header is read from its end, where the last proxy writes. So no text of a client changes how the entries after it
/// are read: a quote that it does not close, for example.
enum ForwardedNodes {
    /// - Returns: An entry for each element: an address with or without a port, `unknown`, an obfuscated name, or an empty
    ///   text for an element that does not name exactly one client.
    static func all(in header: String) -> [String] {
        parts(of: Array(header.utf8), at: UInt8(ascii: ",")).map(node)
    }

    private static func node(of element: [UInt8]) -> String {
        let values = parts(of: element, at: UInt8(ascii: ";")).compactMap { pair -> String? in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                String(decoding: pair[..<equals], as: UTF8.self).lowercased() == "for"
            else { return nil }
            return unquoted(pair[(equals + 1)...])
        }
        return values.count == 1 ? values[0] : ""
    }

    /// A quoted string is only a frame here: no address contains a character that needs an escape.
    private static func unquoted(_ value: ArraySlice<UInt8>) -> String {
        let quote = UInt8(ascii: "\"")
        let isQuoted = value.count >= 2 && value.first == quote && value.last == quote
        return String(decoding: isQuoted ? value.dropFirst().dropLast() : value, as: UTF8.self)
    }

    /// Splits a text at the separators outside quoted strings, and drops empty parts and the white space around parts.
    private static func parts(of text: [UInt8], at separator: UInt8) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var end = text.count
        var isInQuotes = false
        for index in text.indices.reversed() {
            if text[index] == UInt8(ascii: "\"") {
                // The quotes of `\"` belong to the string that they are in.
                if index == 0 || text[index - 1] != UInt8(ascii: "\\") { isInQuotes.toggle() }
            } else if text[index] == separator, !isInQuotes {
                parts.append(trimmed(text[(index + 1)..<end]))
                end = index
            }
        }
        parts.append(trimmed(text[..<end]))
        return parts.reversed().filter { !$0.isEmpty }
    }

    private static func trimmed(_ part: ArraySlice<UInt8>) -> [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = part.drop(while: isSpace)
        return Array(start.prefix((start.lastIndex { !isSpace($0) } ?? start.startIndex - 1) - start.startIndex + 1))
    }
}

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
