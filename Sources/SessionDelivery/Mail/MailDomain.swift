internal import Foundation

/// Domains in the form that every mail server understands.
@available(service, *)
enum MailDomain {
    /// Returns the ASCII form of a domain: `xn--bcher-kva.de` for `bücher.de` (RFC 5891 §4). `nil` for text that is no name.
    static func ascii(_ domain: String) -> String? {
        guard domain.utf8.contains(where: { $0 >= 0x80 }) else { return domain.isEmpty ? nil : domain.lowercased() }
        guard let ascii = URLComponents(string: "https://\(domain)")?.encodedHost else { return nil }
        return ascii.utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "%") } ? ascii.lowercased() : nil
    }
}
