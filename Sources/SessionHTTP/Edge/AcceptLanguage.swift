/// `Accept-Language` (RFC 9110 §12.5.4), as language tags in order of preference.
enum AcceptLanguage {
    /// Tags that are read.
    private static let maximum = 10

    static func tags(_ header: String) -> [String] {
        let ranges = header.prefix(512).split(separator: ",").compactMap { range -> (tag: String, quality: Double)? in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = parts.first, tag != "*", isTag(tag) else { return nil }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return quality > 0 ? (tag, quality) : nil
        }
        // A stable sort: equals stay in the order in which they were sent.
        let sorted = ranges.enumerated().sorted {
            ($0.element.quality, -$0.offset) > ($1.element.quality, -$1.offset)
        }
        return sorted.prefix(maximum).map(\.element.tag)
    }

    private static func isTag(_ text: String) -> Bool {
        (1...35).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0 == "-" || ($0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil))
            }
    }
}
