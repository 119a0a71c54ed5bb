package import Foundation

extension String {
    /// The text of a file in UTF-8. A byte order mark at its beginning is no part of the text (RFC 3629 §6).
    ///
    /// - Returns: `nil` if the bytes are not UTF-8.
    package init?(textFile bytes: Data) { self.init(data: bytes.withoutByteOrderMark, encoding: .utf8) }
}

extension Data {
    /// The content of a file without the byte order mark of UTF-8.
    package var withoutByteOrderMark: Data {
        let mark = Data([0xEF, 0xBB, 0xBF])
        return starts(with: mark) ? Data(dropFirst(mark.count)) : self
    }

    /// Whether the content begins with a byte order mark of UTF-16.
    package var isUTF16: Bool { starts(with: [0xFE, 0xFF]) || starts(with: [0xFF, 0xFE]) }
}
