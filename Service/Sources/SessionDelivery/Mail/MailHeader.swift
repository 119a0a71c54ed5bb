internal import Foundation
internal import SessionDomain

/// Writes one header, folded where necessary, without the last line end.
enum MailHeader {
    /// A value of visible ASCII characters and spaces that is short enough for one line.
    static func line(_ name: String, _ value: String) throws(MailMessage.InvalidValue) -> String {
        try check(value, name)
        return "\(name): \(value)"
    }

    /// Any text. Other characters than ASCII, and long texts, are written as encoded words (RFC 2047).
    static func text(_ name: String, _ value: String) throws(MailMessage.InvalidValue) -> String {
        try check(value, name)
        return "\(name): \(isPlain(value) ? value : encodedWords(value))"
    }

    /// An address with its name (RFC 5322 §3.4). Only a local part can contain other characters than ASCII (RFC 6532).
    static func address(_ name: String, _ address: MailAddress) throws(MailMessage.InvalidValue) -> String {
        try check((address.name ?? "") + address.address, name)
        guard let domain = MailDomain.ascii(address.domain) else {
            throw MailMessage.InvalidValue(field: name, problem: "has a domain that is not a name")
        }
        let route = "<\(address.localPart)@\(domain)>"
        guard let shown = address.name else { return "\(name): \(route)" }
        let words = isPlain(shown) ? quoted(shown) : encodedWords(shown)
        return "\(name): \(words)\r\n \(route)"
    }

    /// - Throws: `InvalidValue` for a character that would end the header, or begin another one.
    private static func check(_ value: String, _ name: String) throws(MailMessage.InvalidValue) {
        guard value.unicodeScalars.allSatisfy({ !$0.breaksHeader }) else {
            throw MailMessage.InvalidValue(field: name, problem: "contains a line break or a control character")
        }
    }

    /// Whether the text needs no encoding: short, ASCII, and without the beginning of an encoded word.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.count <= 60 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
            && text.first != " " && text.last != " "
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }

    /// A line with an encoded word has at most 76 characters (RFC 2047 §2). 36 bytes become 48 characters, the frame has 12,
    /// and the name of the header comes before the first word.
    private static let bytesPerWord = 36

    /// Writes words in base64, each on its own line. No character is split.
    private static func encodedWords(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > bytesPerWord { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}
