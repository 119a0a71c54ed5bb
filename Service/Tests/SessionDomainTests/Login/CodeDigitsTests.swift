import Foundation
import Testing

@testable import SessionDomain

@Suite("Codes, derived from a key")
struct CodeDigitsTests {
    private static func ring(_ current: UInt8, older: [UInt8] = []) -> KeyRing {
        func key(_ byte: UInt8) -> MasterKey { MasterKey(secret: Data(repeating: byte, count: 32)) }
        return KeyRing(current: key(current), older: older.map(key))
    }

    private static func issue(
        _ keys: KeyRing = ring(1), number: UInt8 = 0, size: Int = 6, of verification: String = "token"
    ) -> IssuedCode {
        keys.issueCode(number: [number], size: size, of: verification, expiresAt: now + 600)
    }

    @Test("A byte makes a digit, bytes from 250 on make none, and a short block is followed by another")
    func digits() {
        let blocks: [[UInt8]] = [[250, 255, 0, 9], [10, 249, 251], [131]]
        #expect(CodeDigits.make(size: 5) { blocks[Int($0)] } == "09091")
        #expect(CodeDigits.make(size: 2) { blocks[Int($0)] } == "09")
    }

    // Proves: O26
    @Test("Each digit comes from as many bytes as any other")
    func unbiased() {
        let digits = CodeDigits.make(size: 250) { _ in Array(0...255) }
        #expect(Set("0123456789".map { digit in digits.count { $0 == digit } }) == [25])
    }

    @Test("A code has the size that is asked for, and is the same each time it is derived", arguments: 4...10)
    func size(size: Int) throws {
        let issued = Self.issue(size: size)
        let seed = try #require(issued.seed)
        let code = try #require(Self.ring(1).code(of: seed))
        #expect(code.count == size && code.allSatisfy { ("0"..."9").contains($0) })
        #expect(Self.issue(size: size) == issued)
        #expect(issued.expiresAt == now + 600)
    }

    // Proves: O26
    @Test("Each verification, number and key has codes of its own")
    func distinct() throws {
        let keys = Self.ring(1)
        let other = try #require(Self.issue(Self.ring(2), size: 10).seed)
        let seeds = [
            Self.issue(size: 10), Self.issue(number: 1, size: 10), Self.issue(size: 10, of: "other"),
            Self.issue(size: 10, of: "step/chg_1/0"),
        ].compactMap(\.seed)
        let codes = Set(seeds.compactMap(keys.code) + [Self.ring(2).code(of: other)])
        #expect(codes.count == 5)
    }

    // Proves: O26
    @Test("The stored hash recognizes the derived code, and neither hash nor seed contains it")
    func hash() throws {
        let (keys, issued) = (Self.ring(1), Self.issue())
        let seed = try #require(issued.seed)
        let code = try #require(keys.code(of: seed))
        #expect(keys.codeHashes(code, tokenHash: "token") == [issued.hash])
        #expect(!"\(issued)".contains(code))
    }

    // Proves: O26
    @Test("A code is derived by the key that was current, as long as the ring has it")
    func rotation() throws {
        let issued = Self.issue(Self.ring(1))
        let seed = try #require(issued.seed)
        let code = try #require(Self.ring(1).code(of: seed))
        let rotated = Self.ring(2, older: [1])
        #expect(rotated.code(of: seed) == code)
        #expect(rotated.codeHashes(code, tokenHash: "token").contains(issued.hash))
        #expect(Self.ring(2).code(of: seed) == nil)
    }
}
