public import Foundation

/// base64url without padding (RFC 4648 §5, RFC 7515 §2).
public enum Base64URL {
    /// Encodes bytes. The result contains only `A–Z a–z 0–9 - _`.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        if let text = bytes.withContiguousStorageIfAvailable(encode(buffer:)) { return text }
        return Array(bytes).withUnsafeBufferPointer(encode(buffer:))
    }

    /// Decodes the canonical form only: no padding, no other characters, no unused trailing bits set.
    ///
    /// `nil` for any other text. A lenient decoder would give one key two thumbprints (RFC 7638 §7).
    public static func decode(_ text: some StringProtocol) -> Data? {
        if let data = text.utf8.withContiguousStorageIfAvailable(decode(buffer:)) { return data }
        return Array(text.utf8).withUnsafeBufferPointer(decode(buffer:))
    }

    /// `decode(_:)` of a text that is in memory as bytes.
    static func decode(buffer input: UnsafeBufferPointer<UInt8>) -> Data? {
        guard input.count % 4 != 1 else { return nil }
        var isCanonical = true
        var decoded = Data(count: input.count * 3 / 4)
        decoded.withUnsafeMutableBytes { (output: UnsafeMutableRawBufferPointer) in
            values.withUnsafeBufferPointer { values in
                var count = 0
                // `invalid` has bits that no value has, so one comparison checks all characters.
                var seen: UInt8 = 0
                let whole = input.count & ~3
                for index in stride(from: 0, to: whole, by: 4) {
                    let first = values[Int(input[index])]
                    let second = values[Int(input[index + 1])]
                    let third = values[Int(input[index + 2])]
                    let fourth = values[Int(input[index + 3])]
                    seen |= first | second | third | fourth
                    output[count] = first << 2 | second >> 4
                    output[count + 1] = second << 4 | third >> 2
                    output[count + 2] = third << 6 | fourth
                    count += 3
                }
                if whole < input.count {
                    let first = values[Int(input[whole])]
                    let second = values[Int(input[whole + 1])]
                    let third = whole + 2 < input.count ? values[Int(input[whole + 2])] : 0
                    seen |= first | second | third
                    output[count] = first << 2 | second >> 4
                    var unused = second << 4
                    if whole + 2 < input.count {
                        output[count + 1] = second << 4 | third >> 2
                        unused = third << 6
                    }
                    if unused != 0 { isCanonical = false }
                }
                if seen >= 64 { isCanonical = false }
            }
        }
        return isCanonical ? decoded : nil
    }

    /// The six bits of a character. `nil` for one that the encoding does not have.
    public static func bits(of character: UInt8) -> UInt8? {
        let value = values[Int(character)]
        return value < 64 ? value : nil
    }

    private static func encode(buffer input: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: encodedCount(input.count)) { encode(buffer: input, into: $0) }
    }

    /// The number of characters for a number of bytes.
    static func encodedCount(_ count: Int) -> Int { (count * 4 + 2) / 3 }

    /// Encodes bytes into the beginning of a buffer that has room for `encodedCount` characters.
    ///
    /// - Returns: The number of characters.
    static func encode(
        buffer input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        alphabet.withUnsafeBufferPointer { alphabet in
            var count = 0
            let whole = input.count - input.count % 3
            for index in stride(from: 0, to: whole, by: 3) {
                let (first, second, third) = (input[index], input[index + 1], input[index + 2])
                output[count] = alphabet[Int(first >> 2)]
                output[count + 1] = alphabet[Int((first & 0x03) << 4 | second >> 4)]
                output[count + 2] = alphabet[Int((second & 0x0F) << 2 | third >> 6)]
                output[count + 3] = alphabet[Int(third & 0x3F)]
                count += 4
            }
            guard whole < input.count else { return count }
            let first = input[whole]
            let second = whole + 1 < input.count ? input[whole + 1] : 0
            output[count] = alphabet[Int(first >> 2)]
            output[count + 1] = alphabet[Int((first & 0x03) << 4 | second >> 4)]
            guard whole + 1 < input.count else { return count + 2 }
            output[count + 2] = alphabet[Int((second & 0x0F) << 2)]
            return count + 3
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let invalid: UInt8 = 0xFF
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: invalid, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()
}
