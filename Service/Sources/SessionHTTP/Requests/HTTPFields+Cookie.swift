package import HTTPTypes

extension HTTPFields {
    /// The value of a cookie (RFC 6265 §5.4). If the name occurs more than once, the first one counts.
    ///
    /// Names are case-sensitive. The value is everything up to the next semicolon, quotes included.
    package func cookie(_ name: String) -> String? {
        for header in all(.cookie) {
            for pair in header.split(separator: ";") {
                let trimmed = pair.drop { $0 == " " }
                guard let equals = trimmed.firstIndex(of: "="), trimmed[..<equals] == name else { continue }
                return String(trimmed[trimmed.index(after: equals)...])
            }
        }
        return nil
    }
}
