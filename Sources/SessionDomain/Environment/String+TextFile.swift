package import Foundation

extension String {
    /// The text of a file in UTF-8. A byte order mark at its beginning is no part of the text (RFC 3629 §6).
    ///
    /// - Returns: `nil` if the bytes are not UTF-8.
    package init?(textFile bytes: Data) {
        let mark = Data([0xEF, 0xBB, 0xBF])
        self.init(data: bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes, encoding: .utf8)
    }
}
