/// Whether a text can contain what must be hidden, for the most frequent texts: short ids of messages in ASCII.
///
/// The searches of `ReasonText` are regular expressions of Foundation. They took half a million instructions for the id that
/// a gateway returns with each message.
enum HiddenText {
    /// Whether a text may contain the beginning of another one, in any case. `true` if one of them is not ASCII.
    static func mayOccur(_ beginning: Substring.UTF8View, in text: String.UTF8View) -> Bool {
        guard beginning.allSatisfy({ $0 < 0x80 }), text.allSatisfy({ $0 < 0x80 }) else { return true }
        let (sought, text) = (beginning.map(lowercased), text.map(lowercased))
        guard sought.count <= text.count else { return false }
        return (0...(text.count - sought.count)).contains { text[$0...].starts(with: sought) }
    }

    /// Whether a text may contain these digits, with at most one other character between two of them. `true` if they are not
    /// digits, or the text is not ASCII.
    static func mayOccur(spaced sought: String.UTF8View, in text: String.UTF8View) -> Bool {
        guard sought.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), text.allSatisfy({ $0 < 0x80 })
        else { return true }
        let (sought, text) = (Array(sought), Array(text))
        return text.indices.contains { start in
            var place = start
            for (index, byte) in sought.enumerated() {
                if index > 0, place < text.count, text[place] != byte { place += 1 }
                guard place < text.count, text[place] == byte else { return false }
                place += 1
            }
            return true
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
