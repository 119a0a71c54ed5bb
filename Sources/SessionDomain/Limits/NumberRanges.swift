/// Ranges of phone numbers in the order of their text.
enum NumberRanges {
    /// The numbers that begin with an old prefix and with none of the new ones. No prefix stands for all numbers.
    static func closed(from old: [String], to new: [String]) -> [Range<String>] {
        let closing = old.isEmpty ? ["+"] : old
        let longer = closing.filter { prefix in closing.contains { $0 != prefix && prefix.hasPrefix($0) } }
        let open = Set(closing).subtracting(longer).sorted().map(range)
        return (new.isEmpty ? ["+"] : new).map(range).reduce(open) { left, kept in
            left.flatMap { subtract(kept, from: $0) }
        }
    }

    /// The numbers that begin with a prefix. In ASCII, a colon follows the digits.
    private static func range(_ prefix: String) -> Range<String> { prefix..<prefix + ":" }

    /// What is before a range, and what is after it.
    private static func subtract(_ kept: Range<String>, from range: Range<String>) -> [Range<String>] {
        let before = (range.lowerBound, min(range.upperBound, kept.lowerBound))
        let after = (max(range.lowerBound, kept.upperBound), range.upperBound)
        return [before, after].filter { $0.0 < $0.1 }.map { $0.0..<$0.1 }
    }
}
