/// Waiting times between attempts: the first one, then twice as long each time, up to a maximum. In seconds.
struct Backoff: Sendable {
    let first: Int
    let maximum: Int

    /// Seconds to wait after this many failed attempts, at least one.
    func delay(after attempts: Int) -> Int { min(maximum, first << min(max(attempts - 1, 0), 20)) }
}
