/// An identifier of 26 characters that sorts by time: 48 bits of milliseconds, then 80 random bits, in Crockford base32.
package enum ULID {
    /// Returns a ULID in lower case, as user ids on the wire are.
    package static func make(at time: Timestamp, randomBytes: [UInt8]) -> String {
        precondition(randomBytes.count == 10, "a ULID takes 80 random bits")
        let clock = UInt64(clamping: time.milliseconds)
        return text(of: (0..<6).map { UInt8(truncatingIfNeeded: clock >> UInt64(40 - 8 * $0)) } + randomBytes)
    }

    /// Returns 16 bytes as 26 characters.
    static func text(of bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(26)
        // 26 digits of 5 bits hold 130 bits: two zero bits precede the 128.
        var buffer: UInt32 = 0
        var bits = 2
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                output.append(alphabet[Int(buffer >> UInt32(bits) & 0x1F)])
                buffer &= (1 << UInt32(bits)) - 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
}

extension ServiceEnvironment {
    /// Returns a new identifier such as `usr_01h…`. Ids are never reused and never derived from what a caller chooses.
    package func newID(_ prefix: String) -> String {
        prefix + "_" + ULID.make(at: now(), randomBytes: randomBytes(10))
    }
}
