import Foundation
import SessionRSA
import SessionTokens
import Testing

/// Key sets (RFC 7517 §5) and the keys in them that can verify RS256.
@Suite("Published key sets")
struct PublishedKeySetTests {
    private let one: ExternalBackend, other: ExternalBackend

    init() throws {
        one = try ExternalBackend.one.get()
        other = try ExternalBackend.other.get()
    }

    @Test("A key with kid, kty, n and e is found by exactly its kid")
    func found() throws {
        let set = try PublishedKeySet([one.entry()])
        #expect(set.count == 1)
        #expect(set.key(id: "k1")?.requiredMembers.mapValues(JSONValue.string) == one.members)
        #expect(set.key(id: "K1") == nil)
        #expect(set.key(id: "") == nil)
    }

    @Test("A key may contain use, alg and key_ops, and other members are ignored")
    func named() throws {
        let entry = one.entry([
            "kid": "k1", "use": "sig", "alg": "RS256", "key_ops": .array(["verify"]), "x5c": .array(["AAAA"]),
            "ext": .bool(true),
        ])
        #expect(try PublishedKeySet([entry]).key(id: "k1") != nil)
    }

    @Test(
        "A key that cannot verify RS256 is skipped, and the others are kept",
        arguments: [
            ["kty": "EC"], ["kty": "rsa"], ["kty": nil], ["use": "enc"], ["use": .int(1)], ["alg": "PS256"],
            ["alg": "HS256"], ["alg": "none"], ["key_ops": .array(["encrypt"])], ["kid": nil], ["kid": ""],
            ["kid": .int(7)], ["kid": .string(String(repeating: "k", count: 257))], ["n": nil], ["e": nil],
            ["n": ""], ["e": ""], ["n": "AQAB"], ["e": "AQ"], ["e": "AAEAAQ"], ["e": "AQAB="], ["e": "Ag"],
            ["d": "AQAB"], ["p": "AQAB"], ["oth": .array([])], ["k": "AQAB"], ["d": .null],
        ] as [[String: JSONValue?]])
    func skipped(_ change: [String: JSONValue?]) throws {
        let bad = one.entry(["kid": .some("bad")].merging(change) { $1 })
        let set = try PublishedKeySet([bad, other.entry(["kid": "good"])])
        #expect(set.count == 1)
        #expect(set.key(id: "good") != nil)
    }

    @Test("A key with a modulus of less than 2048 or more than 4096 bits is skipped", arguments: [255, 257, 513])
    func modulusLength(_ bytes: Int) throws {
        // With a first byte of 1, 257 bytes are 2049 bits, which is allowed.
        let modulus = Data([0x01] + [UInt8](repeating: 0xFF, count: bytes - 1))
        let set = try PublishedKeySet([one.entry(["kid": "k1", "n": .string(Base64URL.encode(modulus))])])
        #expect(set.count == (bytes == 257 ? 1 : 0))
    }

    @Test("A key whose modulus has a leading zero is skipped, because a key has one spelling")
    func leadingZero() throws {
        let modulus = try #require(one.members["n"]?.stringValue.flatMap { Base64URL.decode($0) })
        let padded = Base64URL.encode(Data([0]) + modulus)
        #expect(try PublishedKeySet([one.entry(["kid": "k1", "n": .string(padded)])]).count == 0)
    }

    @Test("Entries that are not objects are skipped", arguments: [.null, .int(1), "key", .array([])] as [JSONValue])
    func noObject(_ entry: JSONValue) throws {
        #expect(try PublishedKeySet([entry, one.entry()]).count == 1)
    }

    @Test("Of two usable keys with the same kid the first is kept, and unusable keys do not count")
    func duplicates() throws {
        let set = try PublishedKeySet([one.entry(["kid": "k1", "kty": "EC"]), other.entry(), one.entry()])
        #expect(set.count == 1)
        #expect(set.key(id: "k1")?.requiredMembers.mapValues(JSONValue.string) == other.members)
    }

    @Test("A set without keys is valid")
    func empty() throws {
        #expect(try PublishedKeySet([]).count == 0)
    }

    @Test(
        "A document that is not a JWK Set, or repeats a member, is rejected",
        arguments: [
            "", "[]", "null", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[]"#, #"{"keys":[],"keys":[]}"#,
            #"{"keys":[{"kid":"a","kid":"b"}]}"#,
        ])
    func malformed(_ text: String) {
        #expect(throws: KeySetError.malformed) { try PublishedKeySet(json: Data(text.utf8), algorithms: [.rs256]) }
    }

    @Test("A set with 100 entries is read, and a set with 101 is rejected")
    func limit() throws {
        let hundred = (0..<PublishedKeySet.maximumKeys).map { one.entry(["kid": .string("k\($0)")]) }
        #expect(try PublishedKeySet(hundred).count == 100)
        #expect(throws: KeySetError.tooManyKeys) { try PublishedKeySet(hundred + [.null]) }
    }
}
