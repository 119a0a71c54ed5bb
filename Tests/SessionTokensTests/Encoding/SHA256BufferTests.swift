import Crypto
import Foundation
import SessionTokens
import Testing

@Suite("SHA-256 of bytes in memory")
struct SHA256BufferTests {
    @Test("The digest is that of swift-crypto, for data and slices of it", arguments: [0, 1, 14, 15, 64, 1000])
    func data(_ count: Int) {
        let data = Data((0..<count + 2).map { UInt8(truncatingIfNeeded: $0) })
        #expect(SHA256.digest(of: data) == SHA256.hash(data: data))
        let slice = data.dropFirst().dropLast()
        #expect(SHA256.digest(of: slice) == SHA256.hash(data: Array(slice)))
    }

    @Test("Texts are hashed one after the other, in UTF-8")
    func texts() {
        #expect(SHA256.digest(of: "é", ".", "x") == SHA256.hash(data: Data("é.x".utf8)))
        let substring = String("a long text, of which a part is hashed".dropFirst(2))
        #expect(SHA256.digest(of: substring) == SHA256.hash(data: Data(substring.utf8)))
    }
}
