internal import Foundation
internal import SessionTokens

/// A network in CIDR notation, such as `10.0.0.0/8` or `::1` (RFC 4632, RFC 4291 §2.3).
///
/// Two texts that name the same network are equal: bits of hosts are cleared, and IPv4-mapped IPv6 is IPv4.
package struct IPNetwork: Sendable, Equatable {
    private let prefix: [UInt8]
    private let bits: Int

    /// Reads an address with an optional prefix length, a number without sign and leading zeros. Returns `nil` for any
    /// other text, and for an IPv4-mapped network that has more addresses than IPv4.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        // C reads to the first U+0000.
        guard (1...2).contains(parts.count), !text.utf8.contains(0),
            let written = Self.writtenBytes(of: String(parts[0]))
        else { return nil }
        let width = written.count * 8
        guard let length = parts.count == 2 ? Self.prefixLength(parts[1]) : width, length <= width else { return nil }
        let address = Self.withoutMapping(written)
        let bits = length - (width - address.count * 8)
        guard bits >= 0 else { return nil }
        self.init(address, bits: bits)
    }

    private init(_ address: [UInt8], bits: Int) {
        prefix = address.enumerated().map { index, byte in
            let kept = min(max(bits - index * 8, 0), 8)
            return byte & ~UInt8(truncatingIfNeeded: 0xFF >> kept)
        }
        self.bits = bits
    }

    /// Reads what earlier versions have stored: `/024` and `/+24` are `/24`, and the prefix length of an IPv4-mapped
    /// address is that of IPv4.
    static func stored(_ text: String) -> IPNetwork? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = bytes(of: String(parts[0])),
            let bits = parts.count == 2 ? Int(parts[1]) : address.count * 8, (0...address.count * 8).contains(bits)
        else { return nil }
        return IPNetwork(address, bits: bits)
    }

    private static func prefixLength(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text == "0" || text.utf8.first != 0x30
        else { return nil }
        return Int(text)
    }

    /// The only spelling of the network: the address as `canonical` writes it, without the length of a single address.
    package var text: String {
        let address = Self.text(of: prefix)
        return bits == prefix.count * 8 ? address : "\(address)/\(bits)"
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
    package static func bytes(of text: String) -> [UInt8]? { writtenBytes(of: text).map(withoutMapping) }

    private static func writtenBytes(of text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        return withUnsafeBytes(of: &six) { Array($0) }
    }

    private static func withoutMapping(_ bytes: [UInt8]) -> [UInt8] {
        let isMapped = bytes.prefix(12) == [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }

    /// The only spelling of an address: IPv6 as RFC 5952 writes it, and an IPv4-mapped address as IPv4. Any other text
    /// stays as it is.
    package static func canonical(_ address: String) -> String {
        // The system reads only one spelling of an IPv4 address.
        guard address.utf8.contains(UInt8(ascii: ":")), let bytes = bytes(of: address) else { return address }
        return text(of: bytes)
    }

    private static func text(of bytes: [UInt8]) -> String {
        guard bytes.count == 16 else { return bytes.map { "\($0)" }.joined(separator: ".") }
        let groups: [UInt16] = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        // The first of the longest runs of zeros becomes `::`, but not a single zero (RFC 5952 §4.2).
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 {
                start = index + 1
            } else if index + 1 - start > max(longest.count, 1) {
                longest = start..<(index + 1)
            }
        }
        let texts = groups.map { String($0, radix: 16) }
        guard !longest.isEmpty else { return texts.joined(separator: ":") }
        return texts[..<longest.lowerBound].joined(separator: ":") + "::"
            + texts[longest.upperBound...].joined(separator: ":")
    }
}
