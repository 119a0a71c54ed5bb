package import SessionDomain

/// What the operator allows beyond https to public addresses.
package struct EgressPolicy: Sendable {
    /// Whether http is allowed. For development only.
    package var allowsPlainHTTP: Bool
    /// Networks that may be called although they are private or special-purpose.
    package var allowedNetworks: [IPNetwork]
    /// Path of a PEM file with certificates of authorities that are trusted in addition to the system's.
    package var additionalTrustRoots: String?
    /// Seconds that an unused connection is kept. Common servers close theirs after five, so this is less: few requests
    /// meet a closing connection.
    package var keepAlive = 4

    package init(
        allowsPlainHTTP: Bool = false, allowedNetworks: [IPNetwork] = [], additionalTrustRoots: String? = nil
    ) {
        self.allowsPlainHTTP = allowsPlainHTTP
        self.allowedNetworks = allowedNetworks
        self.additionalTrustRoots = additionalTrustRoots
    }
}

extension EgressPolicy {
    /// Checks a URL by its text only: its form, its scheme, and an address in it.
    package func validate(url: String) throws(EgressError) {
        let url = try EgressURL(url, allowsPlainHTTP: allowsPlainHTTP)
        // Names of this machine are not resolved (RFC 6761 §6.3).
        let isLocal = url.host == "localhost" || url.host.hasSuffix(".localhost")
        let known = isLocal ? ["127.0.0.1", "::1"] : AddressInfo.literal(url.host).map { [$0] }
        if let known { _ = try AddressPolicy(allowedNetworks: allowedNetworks).firstAllowed(known, of: url.host) }
    }
}

/// Decides which addresses may be connected to.
struct AddressPolicy: Sendable {
    let allowedNetworks: [IPNetwork]

    /// Returns the first address that is public or explicitly allowed.
    ///
    /// - Throws: `.cannotResolve` when there is no address, `.refusedAddress` when none is allowed.
    func firstAllowed(_ addresses: [String], of host: String) throws(EgressError) -> String {
        guard let first = addresses.first else { throw .cannotResolve("\(host) has no address.") }
        if let allowed = addresses.first(where: { rejectionReason(for: $0) == nil }) { return allowed }
        throw .refusedAddress(
            "\(host) resolves to \(first), which is \(rejectionReason(for: first) ?? "rejected"). "
                + "Only public addresses and the networks that the configuration allows may be called.")
    }

    /// Returns why an address must not be connected to, or `nil` if it may be.
    func rejectionReason(for address: String) -> String? {
        guard let address = IPNetwork.bytes(of: address) else { return "not an address" }
        if allowedNetworks.contains(where: { $0.contains(address) }) { return nil }
        // A translator forwards to the embedded address (RFC 6052 §2.1).
        return Self.purpose(of: Self.isTranslated(address) ? Array(address.suffix(4)) : address)
    }

    private static func purpose(of address: [UInt8]) -> String? {
        SpecialNetwork.all.first { $0.network.contains(address) }?.purpose
    }

    private static let translated = IPNetwork("64:ff9b::/96")

    private static func isTranslated(_ address: [UInt8]) -> Bool { translated?.contains(address) ?? false }
}

/// A network of the IANA special-purpose registries (RFC 6890), or an address at which clouds serve their machines.
struct SpecialNetwork: Sendable {
    let network: IPNetwork
    let purpose: String

    private init(_ text: String, _ purpose: String) {
        guard let network = IPNetwork(text) else { preconditionFailure("\(text) is mistyped") }
        self.network = network
        self.purpose = purpose
    }

    static let all: [SpecialNetwork] = [
        SpecialNetwork("0.0.0.0/8", "this network"),
        SpecialNetwork("10.0.0.0/8", "private"),
        SpecialNetwork("100.64.0.0/10", "shared by carriers"),
        SpecialNetwork("127.0.0.0/8", "loopback"),
        SpecialNetwork("168.63.129.16/32", "a cloud's own service"),
        SpecialNetwork("169.254.0.0/16", "link-local"),
        SpecialNetwork("172.16.0.0/12", "private"),
        SpecialNetwork("192.0.0.0/24", "for protocols"),
        SpecialNetwork("192.0.2.0/24", "for documentation"),
        SpecialNetwork("192.31.196.0/24", "for protocols"),
        SpecialNetwork("192.52.193.0/24", "for protocols"),
        SpecialNetwork("192.88.99.0/24", "a 6to4 relay"),
        SpecialNetwork("192.168.0.0/16", "private"),
        SpecialNetwork("192.175.48.0/24", "for protocols"),
        SpecialNetwork("198.18.0.0/15", "for benchmarks"),
        SpecialNetwork("198.51.100.0/24", "for documentation"),
        SpecialNetwork("203.0.113.0/24", "for documentation"),
        SpecialNetwork("224.0.0.0/4", "multicast"),
        SpecialNetwork("240.0.0.0/4", "reserved"),
        SpecialNetwork("::/128", "unspecified"),
        SpecialNetwork("::1/128", "loopback"),
        SpecialNetwork("64:ff9b:1::/48", "a local translation"),
        SpecialNetwork("100::/64", "discarded"),
        // Teredo, ORCHID and others. Includes forms that embed an IPv4 address; they are obsolete, so the whole block
        // is listed.
        SpecialNetwork("2001::/23", "for protocols"),
        SpecialNetwork("2001:db8::/32", "for documentation"),
        SpecialNetwork("2002::/16", "6to4"),
        SpecialNetwork("2620:4f:8000::/48", "for protocols"),
        SpecialNetwork("3fff::/20", "for documentation"),
        SpecialNetwork("5f00::/16", "for segment routing"),
        SpecialNetwork("fc00::/7", "private"),
        SpecialNetwork("fe80::/10", "link-local"),
        SpecialNetwork("fec0::/10", "site-local"),
        SpecialNetwork("ff00::/8", "multicast"),
        // Only 2000::/3 of IPv6 was ever allocated for public use (RFC 4291 §2.4). These are the rest.
        SpecialNetwork("::/3", "not public"),
        SpecialNetwork("4000::/2", "not public"),
        SpecialNetwork("8000::/1", "not public"),
    ]
}

/// Finds the addresses to which a connection to a host may go, for protocols other than HTTP.
///
/// A name is resolved once per call. The caller connects to one of the returned addresses and never resolves the name
/// again.
package struct HostPinning: Sendable {
    private let resolver: any HostResolver
    private let policy: AddressPolicy

    package init(policy: EgressPolicy) { self.init(policy: policy, resolver: SystemHostResolver()) }

    package init(policy: EgressPolicy, resolver: any HostResolver) {
        self.resolver = resolver
        self.policy = AddressPolicy(allowedNetworks: policy.allowedNetworks)
    }

    /// Returns the allowed addresses, the preferred one first. There is at least one.
    ///
    /// - Throws: `EgressError.cannotResolve` without an address, `.refusedAddress` if none is allowed, or
    ///   `CancellationError`.
    package func addresses(of host: String) async throws -> [String] {
        let found: [String]
        do {
            found = try await resolver.addresses(of: host)
        } catch let error as HostResolutionError {
            throw EgressError.cannotResolve("\(host): \(error.reason)")
        }
        _ = try policy.firstAllowed(found, of: host)
        return found.filter { policy.rejectionReason(for: $0) == nil }
    }
}

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

/// The rules of RFC 3986 for an egress URL, without the additions of browsers and resolvers.
enum URLGrammar {
    /// Whether the text has letters, digits, hyphens and underscores between dots (RFC 1123 §2.1), in lower case and
    /// without a final dot.
    static func isName(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(nameBytes.contains)
        }
    }

    /// Whether the text is `path-abempty [ "?" query ]` (RFC 3986 §3.3, §3.4).
    static func isPathAndQuery(_ text: some StringProtocol) -> Bool {
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = bytes.popFirst(), let low = bytes.popFirst(), hexBytes.isSuperset(of: [high, low])
                else { return false }
            } else if !targetBytes.contains(byte) {
                return false
            }
        }
        return true
    }

    private static let nameBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let hexBytes = Set("0123456789abcdefABCDEF".utf8)
    /// `pchar`, `/` and `?`.
    private static let targetBytes = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?".utf8)
}
