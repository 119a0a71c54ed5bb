/// Words without spaces in one column of a store, with a space between them, as in a `scope` claim.
///
/// Each refresh reads and writes such columns. To split and to join characters costs ten times as much.
package enum StoredWords {
    package static func read(_ text: String) -> [String] {
        if text.isEmpty { return [] }
        return text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    }

    package static func text(of words: [String]) -> String {
        guard let first = words.first else { return "" }
        return words.dropFirst().reduce(into: first) { text, word in
            text += " "
            text += word
        }
    }
}
