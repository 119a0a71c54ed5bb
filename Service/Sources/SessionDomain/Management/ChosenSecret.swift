/// Estimates whether a secret that a person configured has at least 128 random bits.
///
/// The length is compared with the shortest one that 128 bits need in the alphabet of the text. Texts that repeat
/// themselves, count up or down, or have few different characters are weak at any length. Words cannot be recognized.
package struct ChosenSecret: Sendable {
    package static let rule = """
        A key needs at least 128 random bits: 22 characters with upper and lower case, 32 hexadecimal digits, 39 \
        decimal digits, or 28 letters of one case; visible ASCII without commas, repetitions and sequences. \
        Make one with: openssl rand -base64 32
        """

    private let bytes: [UInt8]

    package init(_ text: String) { bytes = Array(text.utf8) }

    /// What is wrong with the secret, without the secret. `nil`: it is strong.
    package var problem: String? {
        character.map { "contains \($0). \(Self.rule)" } ?? (isStrong ? nil : "can be guessed. \(Self.rule)")
    }

    /// A character that no secret may contain. Lists of keys are separated by commas and white space.
    private var character: String? {
        bytes.lazy.compactMap { byte in
            switch byte {
            case 0x0A, 0x0D: "a line break"
            case 0x09, 0x20: "white space"
            case Self.comma: "a comma"
            case 0x21...0x7E: nil
            case 0x80...: "a character that is not ASCII"
            default: "a control character"
            }
        }.first
    }

    package var isStrong: Bool {
        character == nil && period >= minimumLength
            && Set(bytes).count >= minimumVariety && !isSequence
    }

    /// The shortest length with 128 bits.
    private var minimumLength: Int {
        if isDecimal { return 39 }
        if bytes.allSatisfy(Self.isHexadecimal) { return 32 }
        let (hasLower, hasUpper) = (
            bytes.contains(where: Self.lower.contains), bytes.contains(where: Self.upper.contains)
        )
        guard hasLower != hasUpper else { return hasLower ? 22 : 39 }
        return bytes.contains(where: Self.digits.contains) ? 26 : 28
    }

    /// Of random texts of the minimum length, one in a million has fewer different characters.
    private var minimumVariety: Int { isDecimal ? 6 : 8 }

    private var isDecimal: Bool { bytes.allSatisfy(Self.digits.contains) }

    /// The length of the part that repeats at least once: 4 for `abcdabcdab`. Without one, the whole length.
    private var period: Int {
        guard bytes.count >= 2 else { return bytes.count }
        return (1...bytes.count / 2).first { length in
            zip(bytes, bytes.dropFirst(length)).allSatisfy { $0 == $1 }
        } ?? bytes.count
    }

    /// Whether two thirds of the characters follow their neighbour, as in `aaaa`, `1234` and `zyxw`.
    private var isSequence: Bool {
        let steps = zip(bytes, bytes.dropFirst()).count { abs(Int($1) - Int($0)) <= 1 }
        return 3 * steps > 2 * bytes.count
    }

    private static let comma = UInt8(ascii: ",")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    private static let lower = UInt8(ascii: "a")...UInt8(ascii: "z")
    private static let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        digits.contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
    }
}
