internal import Foundation

/// The revocations that a client sends later, because a response with `Retry-After` says so. In memory only.
///
/// Bounded as the queue: when it is full, the oldest pause ends.
struct RevocationPauses: Sendable {
    private struct Pause: Sendable {
        let entry: PendingRevocations.Entry
        let start: Date
        let seconds: TimeInterval
    }

    /// Seconds. A longer `Retry-After` counts as this: it may not be the service's.
    static let maximum: TimeInterval = 3600

    private var pauses: [Pause] = []

    /// Starts a pause.
    ///
    /// - Parameter now: By the device's clock.
    mutating func start(_ entry: PendingRevocations.Entry, seconds: Int, now: Date) {
        end(entry)
        pauses.append(Pause(entry: entry, start: now, seconds: min(TimeInterval(seconds), Self.maximum)))
        if pauses.count > PendingRevocations.capacity { pauses.removeFirst() }
    }

    /// Ends a pause, if there is one.
    mutating func end(_ entry: PendingRevocations.Entry) { pauses.removeAll { $0.entry == entry } }

    /// Whether the entry must not be sent yet. A clock that was set back ends the pause.
    func isPaused(_ entry: PendingRevocations.Entry, now: Date) -> Bool {
        pauses.contains { pause in
            let passed = now.timeIntervalSince(pause.start)
            return pause.entry == entry && passed >= 0 && passed < pause.seconds
        }
    }
}
