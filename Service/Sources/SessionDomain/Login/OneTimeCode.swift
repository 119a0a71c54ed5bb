internal import Foundation

/// Codes that users type.
enum OneTimeCode {
    /// A code of `size` decimal digits from blocks of random bytes, each value equally likely. Leading zeros count, so a
    /// code is a string.
    ///
    /// - Parameter block: Returns the bytes of a block, counted from 0. A code needs the first one, and rarely another.
    static func make(size: Int, block: (_ index: UInt8) -> [UInt8]) -> String {
        var digits: [UInt8] = []
        var index: UInt8 = 0
        while digits.count < size {
            // 250 is the largest multiple of 10 in a byte. Larger bytes would make low digits more likely.
            digits += block(index).filter { $0 < 250 }.map { UInt8(ascii: "0") + $0 % 10 }
            index += 1
        }
        return String(decoding: digits.prefix(size), as: UTF8.self)
    }

    /// The code as typed, without surrounding white space.
    static func entered(_ code: String) throws(Refusal) -> String {
        let entered = code.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...64).contains(entered.utf8.count) else { throw .invalidField("code", "must have 1 to 64 characters") }
        return entered
    }
}
