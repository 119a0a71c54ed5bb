/// A trusted proxy sends requests that do not say from which address they are.
package struct HiddenClients: Sendable, Equatable, CustomStringConvertible {
    /// Milliseconds after such a request for which health checks show it.
    package static let lifetime: Int64 = 3_600_000

    /// The address of the proxy.
    package let proxy: String
    /// The name of the header that lacks the address.
    package let header: String

    package init(proxy: String, header: String) {
        self.proxy = proxy
        self.header = header
    }

    package var description: String {
        "the trusted proxy \(proxy) sends requests without the address of their client in \(header), so limits by address "
            + "count all clients of the proxy together. Let it set this header (nginx: proxy_set_header \(header) "
            + "\(header.lowercased() == "forwarded" ? "\"for=$remote_addr\"" : "$remote_addr")), or name the header that it "
            + "sets in clientAddressHeader; if \(proxy) is a client itself, name a smaller network in trustedProxies"
    }
}
