/// Reads `Accept-Language` (RFC 9110 §12.5.4).
enum AcceptLanguage {
    /// The most tags that are returned.
    private static let maximumTags = 10
    /// Characters of the header that are read.
    private static let maximumLength = 512

    /// The language tags in order of preference. Tags of the same quality keep their order in the header.
    ///
    /// Ignores `*`, invalid tags, and tags of quality 0.
    static func tags(_ header: String) -> [String] {
        let ranges = header.prefix(maximumLength).split(separator: ",").compactMap(range)
        let sorted = ranges.enumerated().sorted {
            ($0.element.quality, -$0.offset) > ($1.element.quality, -$1.offset)
        }
        return sorted.prefix(maximumTags).map(\.element.tag)
    }

    private static func range(_ text: Substring) -> (tag: String, quality: Double)? {
        let parts = text.split(separator: ";").map { $0.filter { $0 != " " } }
        guard let tag = parts.first, tag != "*", isTag(tag) else { return nil }
        let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
        return quality > 0 ? (tag, quality) : nil
    }

    private static func isTag(_ text: String) -> Bool {
        (1...35).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0 == "-" || ($0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil))
            }
    }
}
