internal import SessionDomain

/// A URL that may be called as far as its text says, in one spelling that every reader takes apart alike.
///
/// Stricter than RFC 3986 on purpose: where two parsers could see two hosts, one judges and the other connects.
struct EgressURL: Sendable {
    enum Scheme: String {
        case http, https
    }

    static let maximumLength = 2048

    let scheme: Scheme
    /// A name in lower case, or an address without brackets.
    let host: String
    let port: Int
    /// The URL as it is called.
    let text: String

    init(_ text: String, allowsPlainHTTP: Bool) throws(EgressError) {
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .refusedURL("The URL is too long, or has characters that must be percent-encoded.")
        }
        let scheme = try Self.scheme(of: text, allowsPlainHTTP: allowsPlainHTTP)
        let rest = text.dropFirst(scheme.rawValue.count + "://".count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let target = rest.dropFirst(authority.count)
        guard !authority.contains("@") else { throw .refusedURL("The URL must not hold a user name or a password.") }
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

    /// The host, and what follows it.
    private static func host(in authority: Substring) throws(EgressError) -> (String, Substring) {
        guard authority.first == "[" else {
            let name = authority.prefix { $0 != ":" }
            let host = name.lowercased()
            guard URLGrammar.isName(host) else {
                throw .refusedURL("The URL has no usable host; an international name is written in its xn-- form.")
            }
            return (host, authority.dropFirst(name.count))
        }
        let literal = authority.dropFirst().prefix { $0 != "]" }
        // A zone (RFC 6874) fails here too: it would only name a link-local address.
        guard literal.count + 2 <= authority.count, literal.contains(":"), IPNetwork.isAddress(String(literal)) else {
            throw .refusedURL("The URL has no IPv6 address in its brackets.")
        }
        return (literal.lowercased(), authority.dropFirst(literal.count + 2))
    }

    private static func port(_ suffix: Substring) throws(EgressError) -> Int? {
        if suffix.isEmpty { return nil }
        let digits = suffix.dropFirst()
        guard suffix.first == ":", (1...5).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }),
            let port = Int(digits), (1...65535).contains(port)
        else { throw .refusedURL("The URL's port is not a number from 1 to 65535.") }
        return port
    }
}
