internal import Foundation

/// Reads `max-age` from `Cache-Control` headers.
enum CacheControl {
    /// `max-age` in seconds (RFC 9111 §5.2.2.1); `nil` if it is missing or not a number.
    static func maxAge(_ header: String?) -> TimeInterval? {
        for directive in (header ?? "").split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts[0].lowercased() == "max-age" else { continue }
            let digits = parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return UInt32(digits).map(TimeInterval.init)
        }
        return nil
    }

    /// The rest of `max-age` in seconds, after the `Age` that the response spent in a cache (RFC 9111 §4.2.3).
    static func remaining(_ header: String?, age: String?) -> TimeInterval? {
        maxAge(header).map { max(0, $0 - (age.flatMap(UInt32.init).map(TimeInterval.init) ?? 0)) }
    }
}
