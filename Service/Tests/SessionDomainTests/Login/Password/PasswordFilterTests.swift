internal import Crypto
internal import Foundation
internal import SessionDomain
internal import Testing

@Suite("The filter of common passwords")
struct PasswordFilterTests {
    @Test(
        "A common or breached password is in the filter, in any case and in compatible forms",
        arguments: [
            "password", "PassWord", "ｐａｓｓｗｏｒｄ", "12345678", "qwertyuiop", "iloveyou", "1qaz2wsx", "Trustno1", "letmein",
            "baseball1",
        ])
    func known(password: String) throws {
        #expect(try CommonPasswords.contains(password))
    }

    @Test(
        "A password that is not common is not in the filter",
        arguments: ["correct horse battery", "staple crystal lantern", "", "tr0ub4dor & 3 more words"])
    func unknown(password: String) throws {
        #expect(try !CommonPasswords.contains(password))
    }

    @Test("The filter has 100 000 entries and needs less than a megabyte")
    func size() throws {
        #expect(try CommonPasswords.filter.get().entries == 100_000)
    }

    @Test("Of 5 000 random passwords, at most one is rejected")
    func falsePositives() throws {
        let filter = try CommonPasswords.filter.get()
        var state: UInt64 = 2026
        let rejected = (0..<5_000).count { _ in
            // An LCG (Knuth's MMIX), so that every run has the same sample.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let half = String(state, radix: 36)
            return filter.contains(half + half)
        }
        #expect(rejected <= 1)
    }

    // MARK: The format

    /// A filter of 16 bits and one hash function, with all bits set.
    private static let full = content(bits: [0xff, 0xff], count: 16)

    private static func content(
        bits: [UInt8], count: UInt8, version: UInt8 = 1, hashes: UInt8 = 1, digest: Data? = nil
    ) -> Data {
        let header = Data("PSPF".utf8) + [version, hashes, 0, 0, 0, 3, 0, 0, 0, count]
        return header + (digest ?? Data(SHA256.hash(data: header + bits))) + bits
    }

    @Test("A whole filter is read, and its bits decide")
    func whole() throws {
        #expect(try PasswordFilter(Self.full).entries == 3)
        #expect(try PasswordFilter(Self.full).contains("anything"))
        #expect(try !PasswordFilter(Self.content(bits: [0, 0], count: 16)).contains("anything"))
    }

    @Test("A filter with another magic, version, checksum or size is rejected")
    func invalid() {
        var changed = Self.full
        changed[changed.count - 1] ^= 1
        let cases: [(Data, PasswordFilterError)] = [
            (Data(), .notAFilter), (Data("PSPF".utf8), .notAFilter), (Data(repeating: 7, count: 60), .notAFilter),
            (Self.content(bits: [0xff], count: 8, version: 2), .unknownVersion(2)), (changed, .wrongChecksum),
            (Self.full.dropLast(), .wrongChecksum),
            (Self.content(bits: [0xff], count: 8, digest: Data(repeating: 0, count: 32)), .wrongChecksum),
            (Self.content(bits: [0xff], count: 9), .wrongSize), (Self.content(bits: [0xff], count: 0), .wrongSize),
            (Self.content(bits: [0xff], count: 8, hashes: 0), .wrongSize),
        ]
        for (content, expected) in cases {
            #expect(throws: expected) { try PasswordFilter(content) }
        }
    }
}
