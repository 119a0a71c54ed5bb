/// The time by which expired rows are deleted: a clock that goes ahead has to stay there for a day before it counts.
///
/// What a wrong clock refuses is good again when the clock is right; what is deleted is gone. So a clock that nobody sets
/// says how far the time may have gone between two rounds. It goes on by that one while the other is in doubt.
struct DeletionClock {
    /// Seconds by which a clock may go ahead of the steady one between two rounds: it was put right.
    static let tolerance = 300
    /// Seconds of steady time after which a clock that went further is believed.
    static let doubtfulTime = 86_400

    /// The clock less the steady one in milliseconds, as it is believed.
    private var believed: Int64?
    /// The same as the clock has it now, and the steady time at which it went there.
    private var doubted: (difference: Int64, since: Int64)?

    /// The time of a round.
    ///
    /// - Parameter uptime: Milliseconds by the steady clock.
    /// - Returns: The time to delete by, and the seconds by which the clock has gone ahead since the last round, if that
    ///   is news.
    mutating func time(now: Timestamp, uptime: Int64) -> (time: Timestamp, jump: Int?) {
        let difference = now.milliseconds - uptime
        let known = believed ?? difference
        // A clock that goes back deletes less.
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
