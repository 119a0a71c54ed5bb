/// The time by which expired rows are deleted. It follows a system clock that jumps ahead only after a day.
///
/// A token that a wrong clock rejects is valid again when the clock is corrected, but a deleted row is lost. So the time
/// continues by uptime, which cannot be set, while a jump of the system clock is in doubt.
struct DeletionClock {
    /// Seconds by which the system clock may advance more than uptime between two rounds: a normal correction.
    static let tolerance = 300
    /// Seconds of uptime after which a larger jump is accepted.
    static let doubtfulTime = 86_400

    /// The accepted difference between system clock and uptime in milliseconds.
    private var believed: Int64?
    /// The current difference, if it is in doubt, and the uptime of its last jump. Both in milliseconds.
    private var doubted: (difference: Int64, since: Int64)?

    /// Returns the time of a round.
    ///
    /// - Parameter uptime: Uptime in milliseconds.
    /// - Returns: The time to delete by, and the seconds by which the system clock has jumped ahead, if this round is the
    ///   first to see it.
    mutating func time(now: Timestamp, uptime: Int64) -> (time: Timestamp, jump: Int?) {
        let difference = now.milliseconds - uptime
        let known = believed ?? difference
        // Always follow a clock that goes back: it deletes less.
        guard difference > known + Int64(Self.tolerance) * 1000 else {
            (believed, doubted) = (difference, nil)
            return (now, nil)
        }
        let time = Timestamp(milliseconds: known + uptime)
        guard let doubt = doubted, difference <= doubt.difference + Int64(Self.tolerance) * 1000 else {
            let jump = difference - (doubted?.difference ?? known)
            doubted = (difference, uptime)
            return (time, Int(jump / 1000))
        }
        doubted?.difference = difference
        guard uptime - doubt.since >= Int64(Self.doubtfulTime) * 1000 else { return (time, nil) }
        (believed, doubted) = (difference, nil)
        return (now, nil)
    }
}
