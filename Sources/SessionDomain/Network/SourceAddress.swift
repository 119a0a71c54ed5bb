internal import Foundation

/// The source address of a request, as the trusted edge reports it.
package struct SourceAddress: Sendable, Equatable {
    package let ip: String
    /// Whether no limit applies: in development mode, loopback is exempt.
    package let isExempt: Bool

    package init(ip: String, isExempt: Bool = false) {
        self.ip = ip
        self.isExempt = isExempt
    }

    /// The key for limits: an IPv4 address, or the /64 network of an IPv6 address, which is one customer (RFC 6177).
    var limitKey: String {
        guard ip.contains(":"), !ip.contains(".") else { return ip }
        let halves = ip.split(separator: "%")[0].components(separatedBy: "::")
        let head = halves[0].split(separator: ":").map(String.init)
        guard halves.count == 2 else { return head.prefix(4).joined(separator: ":") }
        let tail = halves[1].split(separator: ":").map(String.init)
        let zeros = [String](repeating: "0", count: max(0, 8 - head.count - tail.count))
        return (head + zeros + tail).prefix(4).joined(separator: ":")
    }
}
