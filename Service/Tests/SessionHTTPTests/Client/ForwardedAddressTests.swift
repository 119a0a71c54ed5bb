import HTTPTypes
import SessionDomain
import Testing

@testable import SessionHTTP

/// The address that rate limits and hooks see. A client that can choose it can avoid every limit.
@Suite("Forwarded address")
struct ForwardedAddressTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let headers: [String]
        var peer = "10.0.0.1"
        let address: String

        init(_ name: String, _ headers: [String], peer: String = "10.0.0.1", _ address: String) {
            testDescription = name
            self.headers = headers
            self.peer = peer
            self.address = address
        }
    }

    static let rows = [
        Row("no header", [], "10.0.0.1"),
        Row("one entry", ["203.0.113.7"], "203.0.113.7"),
        Row("entries before the last one may be forged", ["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
        Row("two forged entries", ["198.51.100.1, 198.51.100.2, 203.0.113.7"], "203.0.113.7"),
        Row("trusted proxies at the end are skipped", ["203.0.113.7, 10.0.0.9, 10.0.0.8"], "203.0.113.7"),
        Row("a forged trusted proxy at the front", ["10.9.9.9, 203.0.113.7"], "203.0.113.7"),
        Row("a client between two proxies", ["10.9.9.9, 203.0.113.7, 10.0.0.2"], "203.0.113.7"),
        Row("several headers are one list", ["198.51.100.1", "203.0.113.7"], "203.0.113.7"),
        Row("several headers, the last one from a proxy", ["198.51.100.1, 203.0.113.7", "10.0.0.2"], "203.0.113.7"),
        Row("only trusted proxies", ["10.0.0.7, 10.0.0.8"], "10.0.0.1"),
        Row("IPv6", ["2001:db8::7"], "2001:db8::7"),
        Row("IPv6 behind an IPv6 proxy", ["198.51.100.1, 2001:db8::7, fd00::2"], peer: "fd00::1", "2001:db8::7"),
        Row("a proxy as an IPv4-mapped address", ["203.0.113.7, ::ffff:10.0.0.2"], "203.0.113.7"),
        Row("a peer as an IPv4-mapped address", ["203.0.113.7"], peer: "::ffff:10.0.0.1", "203.0.113.7"),
        Row("a client as an IPv4-mapped address", ["::FFFF:203.0.113.7"], "203.0.113.7"),
        Row("an IPv6 address in another spelling", ["2001:DB8:9:0::0001"], "2001:db8:9::1"),
        Row("a direct client in another spelling", [], peer: "2001:DB8:0:0::9", "2001:db8::9"),
        Row("a direct IPv4-mapped client", [], peer: "::ffff:203.0.113.9", "203.0.113.9"),
        Row("spaces and tabs around entries", [" \t203.0.113.7\t , 10.0.0.2 "], "203.0.113.7"),
        Row("empty entries", ["203.0.113.7,,"], "203.0.113.7"),
        Row("a spaces-only entry is no address", ["203.0.113.7, ,"], "10.0.0.1"),
        Row("an entry with a port", ["203.0.113.7:443"], "203.0.113.7"),
        Row("an IPv6 entry with a port", ["[2001:db8::7]:443"], "2001:db8::7"),
        Row("an IPv6 entry in brackets", ["[2001:db8::7]"], "2001:db8::7"),
        Row("a proxy with a port", ["203.0.113.7, 10.0.0.2:443"], "203.0.113.7"),
        Row("a word with a port is no address", ["host.example:443"], "10.0.0.1"),
        Row("a zone id is no address", ["fe80::1%eth0"], "10.0.0.1"),
        Row("a short IPv4 form is no address", ["127.1"], "10.0.0.1"),
        Row("a word", ["unknown"], "10.0.0.1"),
        Row("an obfuscated name", ["198.51.100.1, _hidden"], "10.0.0.1"),
        Row("text after brackets", ["[2001:db8::7]198.51.100.1"], "10.0.0.1"),
        Row("invalid text at the end does not expose the entry before it", ["198.51.100.1, garbage"], "10.0.0.1"),
        Row("a direct client cannot choose its address", ["198.51.100.1"], peer: "203.0.113.9", "203.0.113.9"),
        Row("a direct client cannot name a proxy", ["10.0.0.2"], peer: "203.0.113.9", "203.0.113.9"),
        Row("a direct IPv6 client", ["198.51.100.1"], peer: "2001:db8::9", "2001:db8::9"),
    ]

    @Test("The source address is the last entry of X-Forwarded-For that is not a trusted proxy", arguments: rows)
    func address(_ row: Row) throws {
        let client = try Client.test(.of(row.headers.map { ("x-forwarded-for", $0) }), peer: row.peer)
        #expect(client.source.ip == row.address)
        #expect(client.facts.ip == row.address)
    }

    static let standardRows = [
        Row("one element", ["for=203.0.113.7"], "203.0.113.7"),
        Row(
            "other parameters, in any case", ["By=10.0.0.9;FOR=203.0.113.7; host=a.example;proto=https"], "203.0.113.7"),
        Row("a port", ["for=\"203.0.113.7:443\""], "203.0.113.7"),
        Row("an obfuscated port", ["for=\"203.0.113.7:_x\""], "203.0.113.7"),
        Row("IPv6", ["for=\"[2001:db8::7]\""], "2001:db8::7"),
        Row("IPv6 with a port", ["For=\"[2001:db8::7]:4711\""], "2001:db8::7"),
        Row("elements before the last one may be forged", ["for=198.51.100.1, for=203.0.113.7"], "203.0.113.7"),
        Row("trusted proxies at the end are skipped", ["for=203.0.113.7,for=10.0.0.9;by=10.0.0.8"], "203.0.113.7"),
        Row("several headers are one list", ["for=198.51.100.1", "for=203.0.113.7, for=10.0.0.2"], "203.0.113.7"),
        Row("unknown", ["for=198.51.100.1, for=unknown"], "10.0.0.1"),
        Row("an obfuscated name", ["for=198.51.100.1, for=_hidden"], "10.0.0.1"),
        Row("an element without a client", ["for=198.51.100.1, proto=https"], "10.0.0.1"),
        Row("an element with two clients", ["for=198.51.100.1;for=203.0.113.7"], "10.0.0.1"),
        Row("only trusted proxies", ["for=10.0.0.7, for=\"[fd00::2]\""], "10.0.0.1"),
        Row("an empty header", [""], "10.0.0.1"),
        Row("empty elements", ["for=203.0.113.7;, ,"], "203.0.113.7"),
        Row("separators in quotes", ["for=203.0.113.7;host=\"a,b;for=198.51.100.1\""], "203.0.113.7"),
        Row("a quote in quotes", ["for=203.0.113.7;host=\"a\\\",for=198.51.100.1\""], "203.0.113.7"),
        Row("a quote of a client without an end", ["for=198.51.100.1;x=\", for=203.0.113.7"], "203.0.113.7"),
        Row("the same before an entry in quotes", ["for=\"198.51.100.1, for=\"[2001:db8::7]:1\""], "2001:db8::7"),
        Row("a backslash of a client", ["for=198.51.100.1\\, for=\"[2001:db8::7]\""], "2001:db8::7"),
        Row("a direct client cannot choose its address", ["for=198.51.100.1"], peer: "203.0.113.9", "203.0.113.9"),
    ]

    @Test("Forwarded names the source address if it is configured (RFC 7239 §4)", arguments: standardRows)
    func standard(_ row: Row) throws {
        let client = try Client.test(
            .of(row.headers.map { ("forwarded", $0) }), peer: row.peer, clientAddressHeader: .forwarded)
        #expect(client.source.ip == row.address)
    }

    static let singleRows = [
        Row("no header", [], "10.0.0.1"),
        Row("an address", ["203.0.113.7"], "203.0.113.7"),
        Row("spaces and tabs", [" \t203.0.113.7 "], "203.0.113.7"),
        Row("a port", ["203.0.113.7:4711"], "203.0.113.7"),
        Row("IPv6", ["2001:db8::7"], "2001:db8::7"),
        Row("IPv6 with a port", ["[2001:db8::7]:4711"], "2001:db8::7"),
        Row("a list, whose parts the client may have sent", ["198.51.100.1, 203.0.113.7"], "10.0.0.1"),
        Row("a list with ports", ["198.51.100.1:1, unknown"], "10.0.0.1"),
        Row("a list with brackets", ["[2001:db8::7]:1, 203.0.113.7"], "10.0.0.1"),
        Row("a comma", ["203.0.113.7,"], "10.0.0.1"),
        Row("the header twice", ["198.51.100.1", "203.0.113.7"], "10.0.0.1"),
        Row("a trusted proxy", ["10.0.0.9"], "10.0.0.1"),
        Row("unknown", ["unknown"], "10.0.0.1"),
        Row("an empty value", [""], "10.0.0.1"),
        Row("a form of Forwarded", ["for=203.0.113.7"], "10.0.0.1"),
        Row("a direct client cannot choose its address", ["198.51.100.1"], peer: "203.0.113.9", "203.0.113.9"),
    ]

    // Proves: N10
    @Test("Another configured header has one address", arguments: singleRows)
    func single(_ row: Row) throws {
        let name = try #require(HTTPField.Name("CF-Connecting-IP"))
        let client = try Client.test(
            .of(row.headers.map { ("cf-connecting-ip", $0) }), peer: row.peer, clientAddressHeader: name)
        #expect(client.source.ip == row.address)
    }

    private static let names = ["X-Forwarded-For", "Forwarded", "X-Real-IP"]

    /// Proxies let headers pass that they do not set.
    // Proves: N10
    @Test("Only the configured header is read: a client cannot choose its address by another one", arguments: names)
    func onlyTheConfigured(configured: String) throws {
        func field(_ name: String, _ address: String) -> (name: String, value: String) {
            (name, name == "Forwarded" ? "for=\(address)" : address)
        }
        let forged = Self.names.filter { $0 != configured }.map { field($0, "198.51.100.1") }
        let name = try #require(HTTPField.Name(configured))
        #expect(try Client.test(.of(forged), clientAddressHeader: name).source.ip == "10.0.0.1")
        for value in ["203.0.113.7", "unknown"] {
            let client = try Client.test(.of(forged + [field(configured, value)]), clientAddressHeader: name)
            #expect(client.source.ip == (value == "unknown" ? "10.0.0.1" : value))
        }
    }

    @Test(
        "Limits do not apply to loopback addresses only if the option is set",
        arguments: [
            ("127.0.0.1", true, true), ("::1", true, true), ("127.8.9.1", true, true), ("203.0.113.7", true, false),
            ("127.0.0.1", false, false), ("::1", false, false),
        ])
    func loopback(peer: String, isSet: Bool, isExempt: Bool) throws {
        #expect(try Client.test([:], peer: peer, exemptsLoopback: isSet).source.isExempt == isExempt)
    }

    @Test("A client behind a proxy on loopback is not exempt from limits")
    func proxyOnLoopback() throws {
        let options = EdgeOptions(trustedProxies: [try #require(IPNetwork("127.0.0.1"))], exemptsLoopback: true)
        let client = try Client(
            headers: .of(("x-forwarded-for", "203.0.113.7")), authority: "app.example", peerAddress: "127.0.0.1",
            options: options)
        #expect(!client.source.isExempt)
    }
}
