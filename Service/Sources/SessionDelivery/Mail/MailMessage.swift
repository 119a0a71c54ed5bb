internal import Foundation
package import SessionDomain

/// A mail as a server receives it (RFC 5322): headers, and the text with an optional HTML part.
///
/// All headers but those with an international address are ASCII, and no line is longer than 78 bytes.
package struct MailMessage: Sendable {
    package let from: MailAddress
    package let to: MailAddress
    package let subject: String
    /// The left part of the `Message-ID`. It stays the same when the mail is sent again, so that copies are recognized.
    package let id: String
    package let date: Timestamp
    /// The language of the text, as a BCP 47 tag.
    package let locale: String
    package let text: String
    package let html: String?

    /// A value cannot be written into a mail.
    package struct InvalidValue: Error, Equatable {
        /// The header, or `body`.
        package let field: String
        package let problem: String
    }

    package init(
        from: MailAddress, to: MailAddress, subject: String, id: String, date: Timestamp, locale: String, text: String,
        html: String?
    ) {
        self.from = from
        self.to = to
        self.subject = subject
        self.id = id
        self.date = date
        self.locale = locale
        self.text = text
        self.html = html
    }

    /// Writes the mail with CRLF line ends. SMTP adds the dots (RFC 5321 §4.5.2).
    ///
    /// - Throws: `InvalidValue` for a control character or a line break in a header, and for U+0000 in a part.
    package func rendered() throws(InvalidValue) -> [UInt8] {
        guard !id.isEmpty, id.utf8.allSatisfy(Self.isIDByte) else {
            throw InvalidValue(field: "Message-ID", problem: "has characters that are not allowed")
        }
        guard locale.utf8.allSatisfy({ Self.isIDByte($0) && $0 != UInt8(ascii: ".") }) else {
            throw InvalidValue(field: "Content-Language", problem: "is not a language tag")
        }
        var headers = [
            try MailHeader.line("Date", MailDate.format(date)),
            try MailHeader.address("From", from),
            try MailHeader.address("To", to),
            try MailHeader.text("Subject", subject),
            try MailHeader.line("Message-ID", "<\(id)@\(MailDomain.ascii(from.domain) ?? "localhost")>"),
            // Mail programs that answer automatically do not answer this (RFC 3834 §5).
            try MailHeader.line("Auto-Submitted", "auto-generated"),
            try MailHeader.line("MIME-Version", "1.0"),
        ]
        if !locale.isEmpty { headers.append(try MailHeader.line("Content-Language", locale)) }
        let plain = try MailPart(text, type: "text/plain")
        guard let html else {
            return Array((headers + plain.headers).joined(separator: "\r\n").utf8) + Self.gap + plain.body
        }
        // Text in quoted-printable and in base64 never contains `=_` (RFC 2045 §6.7).
        let boundary = "=_\(id)"
        headers.append("Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"")
        var mail = Array(headers.joined(separator: "\r\n").utf8) + Self.gap
        // The best part comes last. The line end before a boundary belongs to it (RFC 2046 §5.1.1, §5.1.4).
        for part in [plain, try MailPart(html, type: "text/html")] {
            mail += Array("--\(boundary)\r\n".utf8) + Array(part.headers.joined(separator: "\r\n").utf8)
            mail += Self.gap + part.body + Array("\r\n".utf8)
        }
        return mail + Array("--\(boundary)--\r\n".utf8)
    }

    private static let gap = Array("\r\n\r\n".utf8)

    private static func isIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

/// A part of a mail: its headers, and its encoded body with a line end.
///
/// Both encodings make lines of at most 76 characters, all ASCII, so no server has to change the mail.
struct MailPart {
    let headers: [String]
    let body: [UInt8]

    /// - Throws: `MailMessage.InvalidValue` for U+0000.
    init(_ text: String, type: String) throws(MailMessage.InvalidValue) {
        guard !text.utf8.contains(0) else {
            throw MailMessage.InvalidValue(field: "body", problem: "contains U+0000")
        }
        let lines = text.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "\r", with: "\n")
        let bytes = Array(lines.replacingOccurrences(of: "\n", with: "\r\n").utf8)
        // Quoted-printable stays readable and takes three characters for a byte beyond ASCII.
        let usesBase64 = bytes.count { $0 > 0x7E } * 6 > bytes.count
        headers = [
            "Content-Type: \(type); charset=utf-8",
            "Content-Transfer-Encoding: \(usesBase64 ? "base64" : "quoted-printable")",
        ]
        body = usesBase64 ? Self.base64(bytes) : Self.quotedPrintable(bytes)
    }

    /// RFC 2045 §6.8.
    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let encoded = Array(Data(bytes).base64EncodedString().utf8)
        var lines: [UInt8] = []
        for start in stride(from: 0, to: encoded.count, by: 76) {
            lines += encoded[start..<min(start + 76, encoded.count)] + crlf
        }
        return lines
    }

    /// RFC 2045 §6.7. The input has CRLF line ends.
    private static func quotedPrintable(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var length = 0
        func append(_ piece: [UInt8]) {
            // One character of a line is left for the `=` of a soft line break.
            if length + piece.count > 75 {
                output += [UInt8(ascii: "=")] + crlf
                length = 0
            }
            output += piece
            length += piece.count
        }
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0x0D
            if byte == 0x0D, next == 0x0A {
                output += crlf
                length = 0
                index += 2
                continue
            }
            let isBlankAtEnd = (byte == 0x20 || byte == 0x09) && next == 0x0D
            let isPlain = (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "=")
            append(isPlain && !isBlankAtEnd ? [byte] : [UInt8(ascii: "="), hex(byte >> 4), hex(byte & 0x0F)])
            index += 1
        }
        return length > 0 ? output + crlf : output
    }

    private static let crlf: [UInt8] = [0x0D, 0x0A]

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func hex(_ value: UInt8) -> UInt8 { digits[Int(value)] }
}

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

/// The date format of mail, in UTC (RFC 5322 §3.3).
enum MailDate {
    static func format(_ time: Timestamp) -> String {
        let style = Date.VerbatimFormatStyle(
            format:
                "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) +0000",
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
        return Date(timeIntervalSince1970: Double(time.seconds)).formatted(style)
    }
}
