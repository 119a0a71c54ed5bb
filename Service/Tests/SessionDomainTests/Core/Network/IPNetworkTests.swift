import Testing

@testable import SessionDomain

@Suite("Networks and addresses")
struct IPNetworkTests {
    @Test(
        "A network has one spelling, whatever its bits of hosts are",
        arguments: [
            ("203.0.113.0/24", "203.0.113.0/24"), ("203.0.113.77/24", "203.0.113.0/24"),
            ("::ffff:203.0.113.0/120", "203.0.113.0/24"), ("::FFFF:cb00:714d/120", "203.0.113.0/24"),
            ("203.0.113.77/32", "203.0.113.77"), ("203.0.113.77", "203.0.113.77"),
            ("::ffff:203.0.113.77", "203.0.113.77"), ("203.0.113.77/25", "203.0.113.0/25"),
            ("203.0.113.177/25", "203.0.113.128/25"), ("1.2.3.4/0", "0.0.0.0/0"), ("::ffff:0:0/96", "0.0.0.0/0"),
            ("2001:0DB8::/32", "2001:db8::/32"), ("2001:db8:ffff::1/32", "2001:db8::/32"),
            ("2001:db8:ffff::1/33", "2001:db8:8000::/33"), ("2001:db8::1/128", "2001:db8::1"), ("::/0", "::/0"),
        ])
    func spelling(written: String, text: String) throws {
        let network = try #require(IPNetwork(written))
        #expect(network.text == text)
        #expect(IPNetwork(text) == network)
        #expect(network.contains(String(written.prefix { $0 != "/" })))
    }

    @Test(
        "Other texts are no networks",
        arguments: [
            "", "/", "203.0.113.0/", "203.0.113.0/024", "203.0.113.0/+24", "203.0.113.0/-1", "203.0.113.0/33",
            "203.0.113.0/24/24", "203.0.113.0/ 24", "203.0.113.0/２４", "203.0.113/24", "203.0.113.07",
            "203.0.113.0\0/24", "203.0.113.7\0", "::ffff:203.0.113.0/24", "::ffff:203.0.113.0/95", "2001:db8::/129",
            "2001:db8::/032", "fe80::1%eth0", "example.com", "203.0.113.0/1000",
        ])
    func invalid(text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test(
        "An address has one spelling, that of RFC 5952 for IPv6, and no address stays as it is",
        arguments: [
            ("203.0.113.7", "203.0.113.7"), ("::ffff:203.0.113.7", "203.0.113.7"), ("::FFFF:CB00:7107", "203.0.113.7"),
            ("2001:DB8:9:0::0001", "2001:db8:9::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("0:0:0:0:0:0:0:0", "::"), ("0:0:0:0:0:0:0:1", "::1"), ("1:0:0:0:0:0:0:0", "1::"),
            ("2001:db8:0:0:0:0:2:0", "2001:db8::2:0"), ("::1.2.3.4", "::102:304"), ("unknown", "unknown"), ("", ""),
            ("fe80::1%eth0", "fe80::1%eth0"), ("203.0.113.7:80", "203.0.113.7:80"),
        ])
    func canonical(address: String, text: String) {
        #expect(IPNetwork.canonical(address) == text)
        #expect(IPNetwork.canonical(text) == text)
    }
}
