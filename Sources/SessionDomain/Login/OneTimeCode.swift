internal import Foundation

/// Codes that people type.
enum OneTimeCode {
    /// That many decimal digits, each value equally likely; leading zeros count, so a code is a string.
    static func make(size: Int, environment: ServiceEnvironment) -> String {
        var digits: [UInt8] = []
        while digits.count < size {
            // 250 is the largest multiple of 10 in a byte: what lies above would favour the low digits.
            digits += environment.randomBytes(size).filter { $0 < 250 }.map { UInt8(ascii: "0") + $0 % 10 }
        }
        return String(decoding: digits.prefix(size), as: UTF8.self)
    }

    /// What somebody typed, without the space around it.
    static func entered(_ code: String) throws(Refusal) -> String {
        let entered = code.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...64).contains(entered.utf8.count) else { throw .invalidField("code", "must have 1 to 64 characters") }
        return entered
    }
}
