import SessionTokens
import Testing

@Suite("Random UUIDs")
struct RandomUUIDTests {
    @Test("A UUID has version 4 and the RFC variant for any bytes (RFC 9562 §5.4)", arguments: [UInt8(0), 0x5A, 0xFF])
    func versionAndVariant(byte: UInt8) {
        let text = RandomUUID.make(from: [UInt8](repeating: byte, count: 16))
        #expect(text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    }
}
