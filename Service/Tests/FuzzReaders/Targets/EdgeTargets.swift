import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SessionDomain

@testable import SessionHTTP

extension FuzzTarget {
    private static let cookie = "__Host-refresh_testapp"
    private static let proxies = ["10.0.0.0/8", "fd00::/8"].compactMap(IPNetwork.init)

    /// The headers that the service reads, and the networks of its configuration.
    static func edge() throws -> [FuzzTarget] {
        guard let realIP = HTTPField.Name("X-Real-IP") else { return [] }
        return [
            FuzzTarget(
                text: "Accept-Language", seeds: ["de-CH, de;q=0.9, en;q=0.8, *;q=0.5", "en", ""],
                words: [";q=", "q=nan", "q=inf", "q=-1", "*", "zh-Hant-TW", "x-y-z"]
            ) { text in
                let tags = AcceptLanguage.tags(text)
                try require(
                    tags.count <= 10 && tags.allSatisfy { (1...35).contains($0.utf8.count) },
                    "too many tags, or a tag of invalid length")
                try require(tags.allSatisfy { $0.utf8.allSatisfy(isTagByte) }, "a tag has an invalid character")
                try require(
                    AcceptLanguage.tags(tags.joined(separator: ",")) == tags,
                    "tags differ after they were written and read again")
                return !tags.isEmpty
            },
            FuzzTarget(
                text: "User-Agent",
                seeds: [
                    "Prelude/1.0 (Apple; iOS 17.4.0)", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) Safari",
                    "Mozilla/5.0 (Linux; Android 14) Mobile", "Prelude/1.0 (Linux; )",
                ], words: ["Prelude/", "(", ")", ";", "Android ", "Mac OS X ", "iPadOS"]
            ) { text in
                let device = Device(userAgent: text)
                for field in [device.model, device.osVersion, device.type] {
                    try require(
                        field.utf8.count <= 64 && field.utf8.allSatisfy { (0x20...0x7E).contains($0) },
                        "a property is too long or not printable")
                }
                try require(["desktop", "mobile", "tablet", "unknown"].contains(device.type), "invalid device type")
                return !device.model.isEmpty
            },
            FuzzTarget(
                text: "X-Forwarded-For", seeds: ["203.0.113.7, 10.0.0.1", "2001:db8::1", "::ffff:203.0.113.7,fd00::1"],
                words: [",", " ", "10.0.0.9", "127.0.0.1", "::1", "1.2.3", "0x7f.1", "%eth0", ":80"]
            ) { try forwarded($0, in: .forwardedFor) },
            FuzzTarget(
                text: "Forwarded", seeds: ["for=203.0.113.7, for=10.0.0.1", "for=\"[2001:db8::1]:4711\";by=10.0.0.1"],
                words: [",", ";", "for=", "\"", "\\", "unknown", "_hidden", "10.0.0.9", "::1", ":80"]
            ) { try forwarded($0, in: .forwarded) },
            FuzzTarget(
                text: "a header with one address", seeds: ["203.0.113.7", "2001:db8::1", "[2001:db8::1]:4711"],
                words: [",", " ", "10.0.0.9", "unknown", "[", "]", ":80"]
            ) { text in
                let isRead = try forwarded(text, in: realIP)
                try require(!isRead || !text.contains(","), "an address of a list was used")
                return isRead
            },
            FuzzTarget(
                text: "cookies",
                seeds: ["\(cookie)=abc.def; other=1", "a=b; \(cookie)=x", "refresh_testapp=x", "=; ;"],
                words: [cookie, "refresh_testapp=", ";", "=", " ", "\"", ","]
            ) { text in
                var fields = HTTPFields()
                fields.append(HTTPField(name: .cookie, value: text))
                // HTTPField replaces invalid characters.
                let sent = fields[values: .cookie].first ?? ""
                let read = fields.cookie(cookie)
                let expected = sent.components(separatedBy: ";").map { pair in pair.drop { $0 == " " } }
                    .first { $0.utf8.starts(with: (cookie + "=").utf8) }?.dropFirst(cookie.count + 1)
                try require(read == expected.map(String.init), "wrong cookie value")
                return read != nil
            },
            FuzzTarget(
                text: "networks", seeds: ["10.0.0.0/8", "::1", "fd00::/8", "203.0.113.7/32"],
                words: ["/", "/33", "/129", "/-1", "/+8", "::", "::ffff:"]
            ) { text in
                guard let network = IPNetwork(text) else { return false }
                let address = String(text.prefix { $0 != "/" })
                try require(IPNetwork.isAddress(address), "accepted a network that does not begin with an address")
                try require(network.contains(address), "a network does not contain its own address")
                try require(IPNetwork(network.text) == network, "a network differs after it was written and read again")
                return true
            },
        ]
    }

    private static func forwarded(_ text: String, in header: HTTPField.Name) throws -> Bool {
        var fields = HTTPFields()
        fields.add(header, text)
        let proxied = try Client(
            headers: fields, authority: "app.example", peerAddress: "10.0.0.1",
            options: EdgeOptions(trustedProxies: proxies, clientAddressHeader: header))
        try require(IPNetwork.isAddress(proxied.source.ip), "the source is not an address")
        let isPeer = proxied.source.ip == "10.0.0.1"
        try require(isPeer || !proxies.contains { $0.contains(proxied.source.ip) }, "the source is a trusted proxy")
        try require(isPeer || names(proxied.source.ip, in: text), "the source is not in the header")
        try require(IPNetwork.canonical(proxied.source.ip) == proxied.source.ip, "the source has another spelling")
        let direct = try Client(
            headers: fields, authority: "app.example", peerAddress: "203.0.113.9",
            options: EdgeOptions(trustedProxies: proxies, clientAddressHeader: header))
        try require(direct.source.ip == "203.0.113.9", "the header of a direct client was used")
        return !isPeer
    }

    /// Whether a header has an address in any spelling, with or without a port.
    private static func names(_ address: String, in text: String) -> Bool {
        let words = text.split { !($0.isASCII && ($0.isHexDigit || $0 == ":" || $0 == ".")) }.map(String.init)
        return words.flatMap { [$0, String($0.prefix { $0 != ":" })] }.contains { IPNetwork.canonical($0) == address }
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
        default: false
        }
    }
}
