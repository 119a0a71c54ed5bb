/// base64url without padding (RFC 4648 §5), appended to bytes. A proof is encoded with each request, so nothing is copied.
extension [UInt8] {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    mutating func appendBase64URL(_ bytes: some RandomAccessCollection<UInt8>) {
        let alphabet = Self.alphabet
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                append(alphabet[Int(bits >> count & 0x3F)])
            }
        }
        if count > 0 { append(alphabet[Int(bits << (6 - count) & 0x3F)]) }
    }
}
