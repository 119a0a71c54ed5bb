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
