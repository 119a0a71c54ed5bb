/// Random UUIDs in lower case (RFC 9562 §5.4).
public enum RandomUUID {
    /// Makes a UUID.
    ///
    /// - Parameter randomBytes: 16 random bytes. Version and variant replace six of their bits.
    public static func make(from randomBytes: [UInt8]) -> String {
        precondition(randomBytes.count == 16, "a UUID has 128 bits")
        var bytes = randomBytes
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]].map { $0.joined() }
            .joined(separator: "-")
    }
}
