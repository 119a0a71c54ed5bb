/// The rules of RFC 3986 for an egress URL, without the additions of browsers and resolvers.
enum URLGrammar {
    /// Whether the text has letters, digits, hyphens and underscores between dots (RFC 1123 §2.1), in lower case and
    /// without a final dot.
    static func isName(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(nameBytes.contains)
        }
    }

    /// Whether the text is `path-abempty [ "?" query ]` (RFC 3986 §3.3, §3.4).
    static func isPathAndQuery(_ text: some StringProtocol) -> Bool {
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = bytes.popFirst(), let low = bytes.popFirst(), hexBytes.isSuperset(of: [high, low])
                else { return false }
            } else if !targetBytes.contains(byte) {
                return false
            }
        }
        return true
    }

    private static let nameBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let hexBytes = Set("0123456789abcdefABCDEF".utf8)
    /// `pchar`, `/` and `?`.
    private static let targetBytes = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?".utf8)
}
