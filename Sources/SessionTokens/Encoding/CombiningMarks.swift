/// Bounds the combining marks in a row in a text of a caller.
///
/// Swift compares and hashes texts by their canonical form, and for that it sorts the marks that follow one letter (UAX #15).
/// The time grows with the square of their number: to hash a text of 60 KiB with one letter takes 0.8 seconds. So a text is
/// checked before it is compared.
public enum CombiningMarks {
    /// The most marks in a row. No word of a language has more than 30 (UAX #15 §13).
    public static let maximum = 128
    /// The first byte of U+0300 in UTF-8. No mark has only smaller bytes.
    private static let firstByte: UInt8 = 0xCC

    /// Whether no more than `maximum` marks follow each other when the text is decomposed. Takes time that grows with the size
    /// of the text.
    public static func areBounded(in text: String) -> Bool {
        guard largestByte(of: text) >= firstByte else { return true }
        var count = 0
        for scalar in text.unicodeScalars {
            let marks = marks(of: scalar)
            count = marks == 0 ? 0 : count + marks
            if count > maximum { return false }
        }
        return true
    }

    /// How many marks a scalar is, decomposed canonically or by compatibility. 0: it begins a letter.
    ///
    /// The scalars named here are all that decompose into nothing but marks and are not that mark themselves (a test compares
    /// them with the database of Unicode). Three of them have the combining class of a letter.
    public static func marks(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x0344, 0x0F73, 0x0F75, 0x0F81: 2
        case 0xFF9E, 0xFF9F: 1
        default: scalar.properties.canonicalCombiningClass == .notReordered ? 0 : 1
        }
    }

    /// Reads all bytes of each header of a request. Without a way out of the loop, the compiler compares many at once.
    private static func largestByte(of text: String) -> UInt8 {
        text.utf8.withContiguousStorageIfAvailable { $0.reduce(0) { max($0, $1) } } ?? text.utf8.max() ?? 0
    }
}
