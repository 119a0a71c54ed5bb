/// Ranges of phone numbers in the order of their text.
///
/// A number stands for all texts of 15 digits that begin with it (E.164 has at most 15 digits). So `+10` to `+19` together
/// are the same range as `+1`.
enum NumberRanges {
    private static let size = 15
    private static let end = (0..<size).reduce(1) { power, _ in power * 10 }
    /// No number begins with 0.
    private static let all = end / 10..<end

    /// The numbers that begin with an old prefix and with none of the new ones. No prefix stands for all numbers.
    ///
    /// - Parameters:
    ///   - old: Prefixes of 1 to 15 digits after a `+`.
    ///   - new: As `old`.
    static func closed(from old: [String], to new: [String]) -> [Range<String>] {
        let longer = old.filter { prefix in old.contains { $0 != prefix && prefix.hasPrefix($0) } }
        let open = old.isEmpty ? [all] : Set(old).subtracting(longer).sorted().map(range)
        let left = (new.isEmpty ? [all] : new.map(range)).reduce(open) { left, kept in
            left.flatMap { subtract(kept, from: $0) }
        }
        return left.map { text(of: $0.lowerBound)..<text(of: $0.upperBound) }
    }

    private static func range(_ prefix: String) -> Range<Int> {
        let digits = prefix.dropFirst()
        let width = (digits.utf8.count..<size).reduce(1) { power, _ in power * 10 }
        let first = (Int(digits) ?? 0) * width
        return first..<first + width
    }

    /// The shortest text that is a bound of the same numbers. In ASCII, a colon follows the digits.
    private static func text(of bound: Int) -> String {
        guard bound < end else { return "+:" }
        var digits = String(bound)[...]
        while digits.last == "0" { digits.removeLast() }
        return "+" + digits
    }

    /// What is before a range, and what is after it.
    private static func subtract(_ kept: Range<Int>, from range: Range<Int>) -> [Range<Int>] {
        let before = (range.lowerBound, min(range.upperBound, kept.lowerBound))
        let after = (max(range.lowerBound, kept.upperBound), range.upperBound)
        return [before, after].filter { $0.0 < $0.1 }.map { $0.0..<$0.1 }
    }
}
