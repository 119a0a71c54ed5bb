/// Ranges of phone numbers in the order of their text.
enum NumberRanges {
    /// The digits of the shortest number that `CanonicalIdentifier` accepts.
    private static let leastDigits = 7

    /// The numbers that begin with an old prefix and with none of the new ones. No prefix stands for all numbers.
    ///
    /// - Parameters:
    ///   - old: Prefixes of digits after a `+`, the first not 0.
    ///   - new: As `old`.
    static func closed(from old: [String], to new: [String]) -> [Range<String>] {
        let longer = old.filter { prefix in old.contains { $0 != prefix && prefix.hasPrefix($0) } }
        let open = old.isEmpty ? [all] : Set(old).subtracting(longer).sorted().map(range)
        let left = (new.isEmpty ? [all] : new.map(range)).reduce(open) { left, kept in
            left.flatMap { subtract(kept, from: $0) }
        }
        return left.compactMap(shortened)
    }

    /// No number begins with 0.
    private static let all = "+1"..<"+:"

    /// The numbers that begin with a prefix. In ASCII, a colon follows the digits.
    private static func range(_ prefix: String) -> Range<String> { prefix..<prefix + ":" }

    /// What is before a range, and what is after it.
    private static func subtract(_ kept: Range<String>, from range: Range<String>) -> [Range<String>] {
        let before = (range.lowerBound, min(range.upperBound, kept.lowerBound))
        let after = (max(range.lowerBound, kept.upperBound), range.upperBound)
        return [before, after].filter { $0.0 < $0.1 }.map { $0.0..<$0.1 }
    }

    /// The same numbers, from a first text of digits on. `nil` if there are none: `+10` to `+19` together leave nothing of `+1`.
    private static func shortened(_ range: Range<String>) -> Range<String>? {
        var first = range.lowerBound
        if first.last == ":" {
            // The next text of digits has one more in its last place: 2 after 19.
            first.removeLast()
            while first.last == "9" { first.removeLast() }
            guard let digit = first.last?.wholeNumberValue else { return nil }
            first = first.dropLast() + String(digit + 1)
        }
        let end = range.upperBound
        guard first < end else { return nil }
        // Between a text and the same with more zeros, there are only shorter ones with zeros.
        let isTooShort =
            end.utf8.count <= leastDigits + 1 && end.hasPrefix(first)
            && end.dropFirst(first.count).allSatisfy { $0 == "0" }
        return isTooShort ? nil : first..<end
    }
}
