/// Keeps messages away from a route that fails, so that they do not wait for its timeout. One at a time still probes it.
struct RouteBreaker: Sendable, Equatable {
    /// Failures in a row after which messages keep away.
    static let threshold = 3
    /// Milliseconds between probes.
    static let pause: Int64 = 30_000

    private var failures = 0
    private var nextProbe: Int64?

    /// Whether a message may go to the route. While the route fails, this message is the probe, and others keep away.
    ///
    /// - Parameter now: Milliseconds on a clock that never jumps.
    mutating func admits(at now: Int64) -> Bool {
        guard let nextProbe else { return true }
        guard now >= nextProbe else { return false }
        self.nextProbe = now + Self.pause
        return true
    }

    mutating func failed(at now: Int64) {
        failures += 1
        if failures >= Self.threshold { nextProbe = now + Self.pause }
    }
}
