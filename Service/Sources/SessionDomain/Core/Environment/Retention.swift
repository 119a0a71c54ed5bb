/// How long rows are kept after their use has ended.
package enum Retention {
    /// Seconds for which a verification is kept after its code has expired. Until then it may send another one.
    package static let expiredCodes = LimitSettings.longestVerification
    /// Seconds for which a session is kept after its end.
    package static let endedSessions = 30 * 86_400
    /// Days for which an app keeps its events, with their deliveries, unless it sets `eventRetention`.
    package static let eventDays = 30
    /// Days for which an event with a pending delivery is kept at least. By then, the worker has given up.
    package static let pendingEventDays = 30

    /// Returns until when events are deleted.
    ///
    /// - Parameter days: The `eventRetention` of their app.
    package static func ends(ofEventsKeptFor days: Int, now: Timestamp) -> (until: Timestamp, pendingUntil: Timestamp) {
        (now - days * 86_400, now - max(days, pendingEventDays) * 86_400)
    }
}

/// The time by which expired rows are deleted. It follows a system clock that jumps ahead only after a day.
///
/// A token that a wrong clock rejects is valid again when the clock is corrected, but a deleted row is lost. So the time
/// continues by uptime, which cannot be set, until the system clock has stayed ahead for a day. A clock may also be wrong
/// when the process starts, and be corrected soon after, so nothing is deleted at first.
struct DeletionClock {
    /// Seconds by which the system clock may advance more than uptime between two rounds: a normal correction.
    static let tolerance = 300
    /// Seconds of uptime after which a larger jump is accepted.
    static let confirmationTime = 86_400
    /// Seconds of uptime after the first round in which nothing is deleted.
    static let settlingTime = 300

    /// System clock minus uptime in milliseconds, as accepted. `nil` before the first round.
    private var acceptedOffset: Int64?
    /// The uptime of the first round.
    private var startedAt: Int64?
    /// The current offset while it is not accepted, and the uptime of the last jump. Both in milliseconds.
    private var pending: (offset: Int64, since: Int64)?

    /// Returns the time of a round.
    ///
    /// - Parameter uptime: Uptime in milliseconds.
    /// - Returns: The time to delete by, `nil` soon after the start; and the seconds by which the system clock has jumped
    ///   ahead, if this round is the first to see it.
    mutating func time(now: Timestamp, uptime: Int64) -> (time: Timestamp?, jump: Int?) {
        let start = startedAt ?? uptime
        startedAt = start
        let (time, jump) = continued(now: now, uptime: uptime)
        return (uptime - start >= Int64(Self.settlingTime) * 1000 ? time : nil, jump)
    }

    private mutating func continued(now: Timestamp, uptime: Int64) -> (time: Timestamp, jump: Int?) {
        let offset = now.milliseconds - uptime
        let accepted = acceptedOffset ?? offset
        // Always follow a clock that goes back: it deletes less.
        guard offset > accepted + Int64(Self.tolerance) * 1000 else {
            (acceptedOffset, pending) = (offset, nil)
            return (now, nil)
        }
        let time = Timestamp(milliseconds: accepted + uptime)
        guard let before = pending, offset <= before.offset + Int64(Self.tolerance) * 1000 else {
            let jump = offset - (pending?.offset ?? accepted)
            pending = (offset, uptime)
            return (time, Int(jump / 1000))
        }
        pending?.offset = offset
        guard uptime - before.since >= Int64(Self.confirmationTime) * 1000 else { return (time, nil) }
        (acceptedOffset, pending) = (offset, nil)
        return (now, nil)
    }
}
