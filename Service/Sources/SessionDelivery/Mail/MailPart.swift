internal import Foundation

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
