package import Foundation

/// base64url without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
    /// Encodes bytes. The result contains only `A–Z a–z 0–9 - _`.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let input = Array(bytes)
        var output: [UInt8] = []
        output.reserveCapacity((input.count * 4 + 2) / 3)
        var index = 0
        while index < input.count {
            let remaining = input.count - index
            let first = input[index]
            let second = remaining > 1 ? input[index + 1] : 0
            let third = remaining > 2 ? input[index + 2] : 0
            output.append(alphabet[Int(first >> 2)])
            output.append(alphabet[Int((first & 0x03) << 4 | second >> 4)])
            if remaining > 1 { output.append(alphabet[Int((second & 0x0F) << 2 | third >> 6)]) }
            if remaining > 2 { output.append(alphabet[Int(third & 0x3F)]) }
            index += 3
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Decodes the canonical form only: no padding, no other characters, no unused trailing bits set.
    ///
    /// `nil` for any other text. A lenient decoder would give one key two thumbprints (RFC 7638 §7).
    package static func decode(_ text: some StringProtocol) -> Data? {
        let input = text.utf8
        let count = input.count
        guard count % 4 != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        let values = values
        for character in input {
            let value = values[Int(character)]
            guard value != invalid else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
                buffer &= (1 << UInt32(bits)) - 1
            }
        }
        return buffer == 0 ? Data(output) : nil
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let invalid: UInt8 = 0xFF
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: invalid, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()
}
