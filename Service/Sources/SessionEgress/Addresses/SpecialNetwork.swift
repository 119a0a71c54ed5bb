internal import SessionDomain

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
