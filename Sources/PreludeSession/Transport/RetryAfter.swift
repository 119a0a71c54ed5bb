internal import Foundation

/// The `Retry-After` header (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The largest accepted value, in seconds: ten years.
    static let maximum = 315_360_000

    /// Seconds to wait after the response. The header may be a number of seconds or a date.
    ///
    /// - Parameter now: When the response arrived. Used for a response without a `Date` header.
    static func seconds(in answer: TransportAnswer, now: Date) -> Int? {
        guard let text = answer.header("retry-after") else { return nil }
        if let seconds = Int(text) { return (0...maximum).contains(seconds) ? seconds : nil }
        guard let date = HTTPDate.parse(text) else { return nil }
        // Prefer the server's clock, because the device's may be wrong by years.
        let wait = date.timeIntervalSince(answer.header("date").flatMap(HTTPDate.parse) ?? now)
        return wait < Double(maximum) ? Int(max(0, wait).rounded(.up)) : nil
    }
}
