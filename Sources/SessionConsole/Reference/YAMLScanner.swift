/// Reads the texts of a YAML document byte by byte.
@available(service, *)
struct YAMLScanner {
    static let quote = UInt8(ascii: "'")
    private static let space = UInt8(ascii: " ")
    private static let newline = UInt8(ascii: "\n")
    private static let colon = UInt8(ascii: ":")
    private static let ends = Set("{}[],".utf8)

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func byte(after distance: Int) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    /// How far the position is from the beginning of its line.
    var column: Int { position - ((bytes[..<position].lastIndex(of: Self.newline) ?? -1) + 1) }

    func error(_ problem: String) -> YAMLError {
        YAMLError(line: bytes[..<min(position, bytes.count)].count { $0 == Self.newline } + 1, problem: problem)
    }

    mutating func skip(_ count: Int) { position += count }

    mutating func skipSpaces() { while byte == Self.space { position += 1 } }

    mutating func skipBlanks() { while byte == Self.space || byte == Self.newline { position += 1 } }

    /// Goes to the next text that is no comment, and returns its column. `nil`: there is none.
    mutating func nextColumn() -> Int? {
        skipBlanks()
        while byte == UInt8(ascii: "#") {
            while let next = byte, next != Self.newline { position += 1 }
            skipBlanks()
        }
        return byte == nil ? nil : column
    }

    var isAtDash: Bool {
        byte == UInt8(ascii: "-") && (byte(after: 1) == Self.space || byte(after: 1) == Self.newline)
    }

    /// Whether a plain text with a colon begins here: an element of a list that is a map.
    var isAtKey: Bool {
        guard let byte, byte != Self.quote, !Self.ends.contains(byte) else { return false }
        let line = bytes[position...].prefix { $0 != Self.newline }
        return Self.hasColon(line)
    }

    private static func hasColon(_ line: ArraySlice<UInt8>) -> Bool {
        line.last == colon || zip(line, line.dropFirst()).contains { $0 == colon && $1 == space }
    }

    mutating func key() throws(YAMLError) -> String {
        let line = bytes[position...].prefix { $0 != Self.newline }
        guard
            let end = line.indices.first(where: { index in
                line[index] == Self.colon && (index + 1 == line.endIndex || line[index + 1] == Self.space)
            })
        else { throw error("a name with a colon is missing") }
        defer { position = end }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    mutating func colon() throws(YAMLError) {
        guard byte == Self.colon, [Self.space, Self.newline, nil].contains(byte(after: 1)) else {
            throw error("a colon is missing")
        }
        position += 1
    }

    mutating func endOfLine() throws(YAMLError) {
        skipSpaces()
        guard byte == nil || byte == Self.newline else { throw error("the value has ended before the line") }
    }

    /// A text in single quotes. Two quotes are one, and line breaks are folded.
    mutating func quoted() throws(YAMLError) -> String {
        var text: [UInt8] = []
        position += 1
        while let next = byte {
            position += 1
            switch next {
            case Self.quote where byte == Self.quote:
                text.append(next)
                position += 1
            case Self.quote: return String(decoding: text, as: UTF8.self)
            case Self.newline:
                position -= 1
                fold(into: &text)
            default: text.append(next)
            }
        }
        throw error("a closing quote is missing")
    }

    /// Makes one line break a space. Of several, the first one is left out.
    private mutating func fold(into text: inout [UInt8]) {
        while text.last == Self.space { text.removeLast() }
        var breaks = 0
        while byte == Self.newline || byte == Self.space {
            if byte == Self.newline { breaks += 1 }
            position += 1
        }
        text += breaks == 1 ? [Self.space] : Array(repeating: Self.newline, count: breaks - 1)
    }

    /// A text without quotes in brackets, until the bracket or comma that ends it.
    mutating func plainInBrackets() throws(YAMLError) -> String {
        try checkBeginning()
        var text: [UInt8] = []
        while let next = byte, !Self.ends.contains(next) {
            let following = byte(after: 1)
            if next == Self.colon, following == nil || following == Self.space || following == Self.newline { break }
            if next == Self.space, following == UInt8(ascii: "#") { throw error("comments are not read here") }
            if next == Self.newline {
                fold(into: &text)
            } else {
                text.append(next)
                position += 1
            }
        }
        while text.last == Self.space { text.removeLast() }
        guard !text.isEmpty else { throw error("a value is missing") }
        return String(decoding: text, as: UTF8.self)
    }

    /// A text without quotes, with the lines that are indented further than what it belongs to.
    mutating func plain(below column: Int) throws(YAMLError) -> String {
        try checkBeginning()
        var text: [UInt8] = []
        while true {
            let line = bytes[position...].prefix { $0 != Self.newline }
            guard !Self.hasColon(line), !zip(line, line.dropFirst()).contains(where: { $0 == Self.space && $1 == 0x23 })
            else { throw error("a text with a colon or a comment needs quotes") }
            text += line
            position = line.endIndex
            let end = position
            var lines = self
            guard let next = lines.nextColumn(), next > column else {
                while text.last == Self.space { text.removeLast() }
                return String(decoding: text, as: UTF8.self)
            }
            position = end
            fold(into: &text)
        }
    }

    /// The lines after `|`, without their indentation, and with one line break at the end.
    mutating func literal(below column: Int) throws(YAMLError) -> String {
        position += 1
        guard byte == Self.newline else { throw error("only | alone is read") }
        position += 1
        var (lines, base): ([String], Int?) = ([], nil)
        while byte != nil {
            let line = bytes[position...].prefix { $0 != Self.newline }
            let indent = line.prefix { $0 == Self.space }.count
            if indent == line.count {
                lines.append("")
            } else {
                guard indent > column else { break }
                let base = base ?? indent
                guard indent >= base else { throw error("the line is indented less than the first one") }
                lines.append(String(decoding: line.dropFirst(base), as: UTF8.self))
            }
            if base == nil, indent < line.count { base = indent }
            position = min(line.endIndex + 1, bytes.count)
        }
        while lines.last == "" { lines.removeLast() }
        // The next value begins after a line break.
        if bytes[position - 1] == Self.newline { position -= 1 }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The value of a text without quotes.
    func scalar(_ text: String) throws(YAMLError) -> YAMLValue {
        if text == "true" || text == "false" { return .bool(text == "true") }
        if let number = Int(text), String(number) == text { return .int(number) }
        let others: Set = ["", "~", "null", "yes", "no", "on", "off", "y", "n"]
        let isTime = text.allSatisfy { "0123456789:-TZ ".contains($0) } && text.first?.isNumber == true
        guard !others.contains(text.lowercased()), Double(text) == nil, !isTime, text != "True", text != "False" else {
            throw error("\(text) needs quotes, because readers understand it in different ways")
        }
        return .text(text)
    }

    private func checkBeginning() throws(YAMLError) {
        if let byte, "\"&*!%@`?>|".utf8.contains(byte) {
            throw error("a text that begins with \(Character(UnicodeScalar(byte))) needs single quotes")
        }
    }
}
