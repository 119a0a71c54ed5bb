internal import Foundation
internal import SessionDomain
internal import Testing

@testable internal import SessionArgon2

@Suite("Keys from passphrases")
struct PassphraseKeyTests {
    private static let cheap = Argon2Cost(uncheckedPasses: 1, memory: 8192)
    private static let salt = Data(0..<16)

    private func key(_ passphrase: String, salt: Data = salt, cost: Argon2Cost = cheap) throws -> Data {
        try PassphraseKey.derive(from: passphrase, salt: salt, cost: cost)
    }

    @Test("The same passphrase, salt and cost give the same 256 bits, and any change gives others")
    func derivation() throws {
        let key = try key("correct horse battery")
        #expect(key.count == 32)
        #expect(try self.key("correct horse battery") == key)
        #expect(try self.key("correct horse batterx") != key)
        #expect(try self.key("correct horse battery", salt: Data(1...16)) != key)
        #expect(try self.key("correct horse battery", cost: Argon2Cost(uncheckedPasses: 2, memory: 8192)) != key)
    }

    @Test("Two spellings of a passphrase that look the same give the same key (NFKC)")
    func normalization() throws {
        #expect(try key("schlüssel") == key("schlu\u{308}ssel"))
    }
}
