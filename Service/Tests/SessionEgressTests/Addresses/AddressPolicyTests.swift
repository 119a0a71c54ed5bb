import SessionDomain
import Testing

@testable import SessionEgress

/// The first and the last address of each network in the IANA special-purpose registries.
@Suite("Address policy", .timeLimit(.minutes(5)))
struct AddressPolicyTests {
    private static let networks: [(first: String, last: String)] = [
        ("0.0.0.0", "0.255.255.255"), ("10.0.0.0", "10.255.255.255"), ("100.64.0.0", "100.127.255.255"),
        ("127.0.0.0", "127.255.255.255"), ("169.254.0.0", "169.254.255.255"), ("172.16.0.0", "172.31.255.255"),
        ("192.0.0.0", "192.0.0.255"), ("192.0.2.0", "192.0.2.255"), ("192.88.99.0", "192.88.99.255"),
        ("192.168.0.0", "192.168.255.255"), ("198.18.0.0", "198.19.255.255"), ("198.51.100.0", "198.51.100.255"),
        ("203.0.113.0", "203.0.113.255"), ("224.0.0.0", "239.255.255.255"), ("240.0.0.0", "255.255.255.255"),
        ("168.63.129.16", "168.63.129.16"),
        ("::", "::1"), ("::2", "::ffff"), ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
        ("100::", "100::ffff:ffff:ffff:ffff"), ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"), ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"), ("4000::", "7fff::"), ("5f00::", "5f00::1"),
        ("8000::", "fbff::"), ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ]

    @Test("Special networks are rejected from the first address to the last", arguments: networks)
    func refused(_ first: String, _ last: String) {
        let policy = AddressPolicy(allowedNetworks: [])
        #expect(policy.rejectionReason(for: first) != nil)
        #expect(policy.rejectionReason(for: last) != nil)
    }

    @Test(
        "The addresses next to special networks are public",
        arguments: [
            "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
            "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255",
            "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255",
            "203.0.114.0", "223.255.255.255", "2000::", "2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::",
            "2606:4700::1111", "3ffe:ffff::",
        ])
    func neighbours(_ address: String) {
        #expect(AddressPolicy(allowedNetworks: []).rejectionReason(for: address) == nil)
    }

    @Test(
        "An IPv6 address that embeds a special IPv4 address is rejected",
        arguments: [
            "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::127.0.0.1",
            "64:ff9b::a9fe:a9fe", "64:ff9b::c0a8:1", "64:ff9b:1::808:808", "2002:7f00:1::1", "2002:a9fe:a9fe::",
            "2001:0:7f00:1::", "2001:0:4136:e378:8000:63bf:80ff:fffe", "::ffff:0:127.0.0.1",
        ])
    func embedded(_ address: String) {
        #expect(AddressPolicy(allowedNetworks: []).rejectionReason(for: address) != nil)
    }

    @Test(
        "A translated or mapped public IPv4 address is public, because networks with only IPv6 need it",
        arguments: [
            "64:ff9b::808:808", "::ffff:8.8.8.8",
        ])
    func translated(_ address: String) {
        #expect(AddressPolicy(allowedNetworks: []).rejectionReason(for: address) == nil)
    }

    @Test(
        "Text that is not an address is rejected",
        arguments: ["", "localhost", "127.1", "fe80::1%lo", "8.8.8.8 ", "8.8.8.8/32"])
    func noAddress(_ text: String) {
        #expect(AddressPolicy(allowedNetworks: []).rejectionReason(for: text) != nil)
    }

    @Test("An allowed network allows its own addresses and no others")
    func allowed() {
        let policy = AddressPolicy(allowedNetworks: ["10.1.0.0/16", "fd00::/8"].compactMap(IPNetwork.init))
        for allowed in ["10.1.2.3", "::ffff:10.1.2.3", "fd12::1"] {
            #expect(policy.rejectionReason(for: allowed) == nil)
        }
        for refused in ["10.2.0.1", "127.0.0.1", "fc00::1", "::1", "64:ff9b::a01:203"] {
            #expect(policy.rejectionReason(for: refused) != nil)
        }
    }

    @Test("No call is sent to a special network", arguments: networks)
    func send(_ first: String, _ last: String) async throws {
        try await withEgress(EgressPolicy(), resolver: FakeResolver([first], [last])) { egress in
            for _ in 0..<2 {
                await expectRefusedAddress { try await egress.send(EgressRequest(.get, "https://service.invalid/")) }
            }
        }
    }

    @Test("The error for a rejected address names the host, the address and the reason")
    func text() async throws {
        try await withEgress(EgressPolicy(), resolver: FakeResolver(["10.0.0.1"])) { egress in
            let error = await #expect(throws: EgressError.self) {
                try await egress.send(EgressRequest(.get, "https://service.invalid/hidden"))
            }
            guard case .refusedAddress(let text) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.hasPrefix("service.invalid resolves to 10.0.0.1, which is private."))
        }
    }
}
