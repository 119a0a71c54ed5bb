import Foundation

/// The members of a settings file with their lines.
///
/// The file has one JSON object (RFC 8259). Unlike JSON, it may have comments from `//` to the end of a line, and a comma
/// after the last member, so that a setting can be turned into a comment.
struct SettingsFile {
    struct Member: Sendable {
        let name: String
        let value: Value
        /// The line of the name, beginning with 1.
        let line: Int
    }

    enum Value: Sendable, Equatable {
        /// A string, or a number, `true` or `false` as it is written.
        case text(String)
        case list([String])
        /// An object, `null`, or a list that does not have strings only.
        case other
    }

    /// The text is not a settings file.
    struct SyntaxError: Error, Equatable {
        let line: Int
        let problem: String
    }

    let members: [Member]

    init(_ text: String) throws(SyntaxError) {
        var reader = SettingsFileReader(text)
        members = try reader.file()
    }
}

/// Reads the text of a settings file from its beginning to its end.
private struct SettingsFileReader {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var depth = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func file() throws(SettingsFile.SyntaxError) -> [SettingsFile.Member] {
        guard take("{") else { throw failure("the file must begin with {") }
        let members = try members()
        guard next == nil else { throw failure("only comments may follow the last }") }
        return members
    }

    /// Objects and lists inside each other. Settings need two.
    private static let maximumDepth = 16

    /// Reads the members of an object behind its `{`.
    private mutating func members() throws(SettingsFile.SyntaxError) -> [SettingsFile.Member] {
        try enter()
        defer { depth -= 1 }
        var members: [SettingsFile.Member] = []
        while !take("}") {
            guard next == UInt8(ascii: "\"") else { throw failure("a name in quotation marks is missing, or a }") }
            let (name, line) = (try string(), line)
            guard take(":") else { throw failure("a colon must follow the name \(name)") }
            members.append(.init(name: name, value: try value(), line: line))
            guard take(",") || next == UInt8(ascii: "}") else { throw failure("a comma is missing before this line") }
        }
        return members
    }

    private mutating func value() throws(SettingsFile.SyntaxError) -> SettingsFile.Value {
        switch next {
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "["): return try list()
        case UInt8(ascii: "{"):
            // Its members are read so that the rest of the file is checked as well.
            _ = take("{")
            _ = try members()
            return .other
        default:
            let start = position
            while let byte = peek, Self.isWord(byte) { position += 1 }
            guard position > start else { throw failure("a value is missing") }
            let word = String(decoding: bytes[start..<position], as: UTF8.self)
            if word == "null" { return .other }
            guard ["true", "false"].contains(word) || Double(word) != nil else {
                // The word is not repeated: it can be a secret.
                throw failure("a value needs quotation marks, unless it is a number, true or false")
            }
            return .text(word)
        }
    }

    private mutating func enter() throws(SettingsFile.SyntaxError) {
        depth += 1
        guard depth <= Self.maximumDepth else { throw failure("objects and lists are nested too deep") }
    }

    private mutating func list() throws(SettingsFile.SyntaxError) -> SettingsFile.Value {
        try enter()
        defer { depth -= 1 }
        _ = take("[")
        var items: [String] = []
        var hasOthers = false
        while !take("]") {
            let isString = next == UInt8(ascii: "\"")
            if case .text(let item) = try value(), isString { items.append(item) } else { hasOthers = true }
            guard take(",") || next == UInt8(ascii: "]") else { throw failure("a comma or ] is missing") }
        }
        return hasOthers ? .other : .list(items)
    }

    private mutating func string() throws(SettingsFile.SyntaxError) -> String {
        let start = position
        position += 1
        while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\n") {
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard peek == UInt8(ascii: "\"") else { throw failure("a quotation mark is missing") }
        position += 1
        // The decoder reads the escapes of JSON.
        let items = try? JSONDecoder().decode([String].self, from: Data("[".utf8 + bytes[start..<position] + "]".utf8))
        guard let text = items?.first else { throw failure("the text in quotation marks is not a string of JSON") }
        return text
    }

    /// The next byte behind white space and comments.
    private var next: UInt8? {
        mutating get {
            while let byte = peek {
                if byte == UInt8(ascii: "\n") { line += 1 }
                if byte == UInt8(ascii: "/"), bytes[position...].dropFirst().first == UInt8(ascii: "/") {
                    while let byte = peek, byte != UInt8(ascii: "\n") { position += 1 }
                } else if [0x20, 0x0A, 0x0D, 0x09].contains(byte) {
                    position += 1
                } else {
                    return byte
                }
            }
            return nil
        }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        ![0x20, 0x0A, 0x0D, 0x09].contains(byte) && !",]}:/\"".utf8.contains(byte)
    }

    private func failure(_ problem: String) -> SettingsFile.SyntaxError { .init(line: line, problem: problem) }
}
