internal import Foundation

/// When to ask again (RFC 9110 §10.2.3).
enum RetryAfter {
    /// Longer than anybody waits, in seconds: ten years.
    static let maximum = 315_360_000

    /// Seconds from the answer on, whichever of its two forms the field has.
    ///
    /// - Parameter now: When the answer came, where it does not say itself (`Date`).
    static func seconds(in answer: TransportAnswer, now: Date) -> Int? {
        guard let text = answer.header("retry-after") else { return nil }
        if let seconds = Int(text) { return (0...maximum).contains(seconds) ? seconds : nil }
        guard let date = HTTPDate.parse(text) else { return nil }
        // Both by the clock of whoever answered, as far as possible: the device's may be wrong by years.
        let wait = date.timeIntervalSince(answer.header("date").flatMap(HTTPDate.parse) ?? now)
        return wait < Double(maximum) ? Int(max(0, wait).rounded(.up)) : nil
    }
}
