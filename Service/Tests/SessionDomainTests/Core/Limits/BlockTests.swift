import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Blocks")
struct BlockTests {
    private func block(_ network: String, note: String? = nil) throws -> Block {
        try Block(.network(network), seconds: 3600, note: note, now: now)
    }

    @Test("A network has one block, however it is written")
    func oneBlock() throws {
        var app = App(id: try appID(), name: "Shop", createdAt: now)
        for text in ["203.0.113.0/24", "203.0.113.77/24", "::ffff:203.0.113.0/120"] {
            try app.add(try block(text), now: now)
            #expect(app.blocks.map(\.name) == ["203.0.113.0/24"])
        }
        for text in ["2001:db8::/32", "2001:0DB8::1/32"] { try app.add(try block(text), now: now) }
        #expect(app.blocks.map(\.name) == ["203.0.113.0/24", "2001:db8::/32"])
        #expect(app.isBlocked(address: "203.0.113.9", now: now) && app.isBlocked(address: "2001:DB8::9", now: now))
        #expect(
            !app.isBlocked(address: "203.0.114.9", now: now) && !app.isBlocked(address: "203.0.113.9", now: now + 3600))
    }

    @Test(
        "A block that an earlier version has stored is in force, and equal to one of its network",
        arguments: [
            ("203.0.113.77/24", "203.0.113.0/24"), ("203.0.113.0/024", "203.0.113.0/24"),
            ("203.0.113.0/+24", "203.0.113.0/24"), ("::ffff:203.0.113.0/24", "203.0.113.0/24"),
            ("2001:0db8::/32", "2001:db8::/32"), ("203.0.113.9", "203.0.113.9"),
        ])
    func stored(written: String, network: String) throws {
        // As an earlier version has stored it.
        let text = String(decoding: try TokenJSON.encode(try block(network, note: "x")), as: UTF8.self)
        let slashes = text.replacingOccurrences(of: "\\/", with: "/")
        let old = slashes.replacingOccurrences(of: "\"\(network)\"", with: "\"\(written)\"")
        let decoded = try TokenJSON.decode(Block.self, from: Data(old.utf8))
        #expect(decoded == (try block(network, note: "x")), "\(old)")
        var app = App(id: try appID(), name: "Shop", createdAt: now)
        app.blocks = [decoded]
        #expect(
            app.isBlocked(
                address: network.hasPrefix("2") && network.contains(":") ? "2001:db8::7" : "203.0.113.9", now: now))
    }

    @Test("A block of an identifier is stored as it is")
    func storedIdentifier() throws {
        let block = try Block(.identifier(try TestApp.mail()), seconds: 60, note: nil, now: now)
        #expect(try TokenJSON.decode(Block.self, from: TokenJSON.encode(block)) == block)
    }

    @Test(
        "Too large networks, and texts that are none, are refused",
        arguments: [
            "0.0.0.0/0", "10.0.0.0/7", "::/15", "::ffff:0:0/96", "::ffff:203.0.113.0/24", "203.0.113.0/+24", "a",
        ])
    func refused(network: String) {
        #expect {
            try block(network)
        } throws: { error in
            guard case Refusal.invalidField("address", _) = error else { return false }
            return true
        }
    }
}
