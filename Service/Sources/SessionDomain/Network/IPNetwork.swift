internal import Foundation
internal import SessionTokens

/// A network in CIDR notation, such as `10.0.0.0/8` or `::1` (RFC 4632, RFC 4291 §2.3).
package struct IPNetwork: Sendable, Equatable {
    private let prefix: [UInt8]
    private let bits: Int

    /// Reads an address with an optional prefix length. Returns `nil` for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = Self.bytes(of: String(parts[0])) else { return nil }
        let width = address.count * 8
        guard let bits = parts.count == 2 ? Int(parts[1]) : width, (0...width).contains(bits) else { return nil }
        prefix = address
        self.bits = bits
    }

    package func contains(_ text: String) -> Bool {
        Self.bytes(of: text).map(contains) ?? false
    }

    /// - Parameter address: From `bytes(of:)`, to compare one address with many networks.
    package func contains(_ address: [UInt8]) -> Bool {
        let (whole, rest) = (bits / 8, bits % 8)
        guard address.count == prefix.count, address.prefix(whole) == prefix.prefix(whole) else { return false }
        return rest == 0 || (address[whole] ^ prefix[whole]) >> UInt8(8 - rest) == 0
    }

    /// Whether it is no large part of all addresses: a slip of the pen must not be one.
    var isNarrowEnough: Bool { bits >= (prefix.count == 4 ? 8 : 16) }

    package static func isAddress(_ text: String) -> Bool { bytes(of: text) != nil }

    /// The loopback networks (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    package static let loopback = ["127.0.0.0/8", "::1"].compactMap { IPNetwork($0) }

    package static func loopback(contains text: String) -> Bool { loopback.contains { $0.contains(text) } }

    /// Whether a host is the local machine: `localhost`, or a loopback address, with or without the brackets of a URI.
    package static func isLoopback(host: String) -> Bool {
        let name = host.lowercased()
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        return TargetURI.loopbackHosts.contains(name)
            || loopback(contains: isBracketed ? String(name.dropFirst().dropLast()) : name)
    }

    /// Returns the 4 or 16 bytes of an address. An IPv4-mapped IPv6 address becomes the IPv4 address.
    package static func bytes(of text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        let isMapped = bytes.prefix(12) == [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }
}
