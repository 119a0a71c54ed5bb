import Foundation
import SessionRSA
import Testing

@Suite("RSA signing keys")
struct RSASigningKeyTests {
    @Test("A key that is stored and read back has the same public key")
    func roundTrip() throws {
        let key = try RSASigningKey.generate()
        let copy = try RSASigningKey(derRepresentation: key.derRepresentation)
        let message = Data("message".utf8)
        #expect(copy.keyID == key.keyID)
        #expect(key.publicKey.isValidPSS(try copy.pssSignature(for: message), for: message))
        #expect(!key.publicKey.isValidPSS(try copy.pssSignature(for: message), for: Data("other".utf8)))
    }
}
