internal import Foundation

/// The two forms of an international domain (UTS #46, as Foundation reads URLs): one for machines, one for people.
package enum MailDomain {
    /// Returns the ASCII form of a domain: `xn--bcher-kva.de` for `bücher.de` (RFC 5891 §4). `nil` for text that is no name.
    package static func ascii(_ domain: String) -> String? {
        guard domain.utf8.contains(where: { $0 >= 0x80 }) else { return domain.isEmpty ? nil : domain.lowercased() }
        guard #available(macOS 13, iOS 16, tvOS 16, watchOS 9, *),
            let ascii = URLComponents(string: "https://\(domain)")?.encodedHost
        else { return nil }
        return ascii.utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "%") } ? ascii.lowercased() : nil
    }

    /// Returns the form that people read: `bücher.de` for `xn--bcher-kva.de`. `nil` for a domain that has no other form, or
    /// whose other form has another ASCII form or could be read as ASCII.
    package static func readable(_ domain: String) -> String? {
        let lowered = domain.lowercased()
        guard lowered.hasPrefix("xn--") || lowered.contains(".xn--"),
            let host = URLComponents(string: "https://\(lowered)")?.host, host != lowered, ascii(host) == lowered,
            !host.unicodeScalars.contains(where: \.resemblesASCII)
        else { return nil }
        return host
    }
}
