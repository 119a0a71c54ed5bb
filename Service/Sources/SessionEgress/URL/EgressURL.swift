internal import SessionDomain

/// A URL that is allowed by its text, in one normalized spelling.
///
/// Stricter than RFC 3986: a URL in which two parsers could find different hosts is rejected. Otherwise one host would
/// be checked and another one called.
struct EgressURL: Sendable {
    enum Scheme: String {
        case http, https
    }

    static let maximumLength = 2048

    let scheme: Scheme
    /// A name in lower case, or an address without brackets.
    let host: String
    let port: Int
    /// The normalized URL. This is what is called.
    let text: String

    init(_ text: String, allowsPlainHTTP: Bool) throws(EgressError) {
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .refusedURL("The URL is too long, or has characters that must be percent-encoded.")
        }
        let scheme = try Self.scheme(of: text, allowsPlainHTTP: allowsPlainHTTP)
        let rest = text.dropFirst(scheme.rawValue.count + "://".count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let target = rest.dropFirst(authority.count)
        guard !authority.contains("@") else { throw .refusedURL("The URL must not contain a user name or a password.") }
        guard !target.contains("#") else { throw .refusedURL("The URL must not have a fragment.") }
        guard URLGrammar.isPathAndQuery(target) else {
            throw .refusedURL("The URL's path or query has characters that must be percent-encoded.")
        }
        let (host, suffix) = try Self.host(in: authority)
        self.scheme = scheme
        self.host = host
        port = try Self.port(suffix) ?? (scheme == .https ? 443 : 80)
        let written = host.contains(":") ? "[\(host)]" : host
        self.text = "\(scheme.rawValue)://\(written):\(port)\(target.first == "/" ? "" : "/")\(target)"
    }

    private static func scheme(of text: String, allowsPlainHTTP: Bool) throws(EgressError) -> Scheme {
        let lowered = text.prefix("https://".count).lowercased()
        if lowered == "https://" { return .https }
        guard allowsPlainHTTP, lowered.hasPrefix("http://") else {
            throw .refusedURL("The URL must start with https://.")
        }
        return .http
    }

    /// Returns the host and the text after it.
    private static func host(in authority: Substring) throws(EgressError) -> (String, Substring) {
        guard authority.first == "[" else {
            let name = authority.prefix { $0 != ":" }
            let host = name.lowercased()
            guard URLGrammar.isName(host) else {
                throw .refusedURL("The URL has no valid host. Write an international name in its xn-- form.")
            }
            return (host, authority.dropFirst(name.count))
        }
        let literal = authority.dropFirst().prefix { $0 != "]" }
        // Rejects zones (RFC 6874), too. They only name link-local addresses.
        guard literal.count + 2 <= authority.count, literal.contains(":"), IPNetwork.isAddress(String(literal)) else {
            throw .refusedURL("The URL has no valid IPv6 address in its brackets.")
        }
        return (literal.lowercased(), authority.dropFirst(literal.count + 2))
    }

    private static func port(_ suffix: Substring) throws(EgressError) -> Int? {
        if suffix.isEmpty { return nil }
        let digits = suffix.dropFirst()
        guard suffix.first == ":", (1...5).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }),
            let port = Int(digits), (1...65535).contains(port)
        else { throw .refusedURL("The URL's port must be a number from 1 to 65535.") }
        return port
    }
}
