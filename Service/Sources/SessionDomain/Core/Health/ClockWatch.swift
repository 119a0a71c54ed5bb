/// Watches the system clock for jumps, by uptime, which cannot be set.
package struct ClockWatch: Sendable {
    package enum Finding: Sendable, Equatable {
        /// By how many seconds the clock was set. Negative: back.
        case jumped(seconds: Int)
        /// The clock is before any time at which this software can run.
        case farOff

        var reason: String {
            switch self {
            case .jumped(let seconds):
                "the system clock jumped by \(seconds) seconds within the last hour"
            case .farOff: "the system clock is years in the past"
            }
        }
    }

    /// Seconds that a clock may be corrected at once without a report: more than the freshness of a proof allows is a jump.
    static let tolerance = 60
    /// Milliseconds for which a jump is reported.
    static let memory: Int64 = 3_600_000
    /// 2025-01-01T00:00:00Z: this software is younger.
    static let earliest = Timestamp(milliseconds: 1_735_689_600_000)

    private var lastOffset: Int64?
    private var jump: (seconds: Int, at: Int64)?

    package init() {}

    /// Compares the clocks.
    ///
    /// - Parameter uptime: Milliseconds on a clock that never jumps.
    package mutating func finding(now: Timestamp, uptime: Int64) -> Finding? {
        if let seconds = newJump(now: now, uptime: uptime) { jump = (seconds, uptime) }
        if now < Self.earliest { return .farOff }
        guard let jump, uptime - jump.at < Self.memory else { return nil }
        return .jumped(seconds: jump.seconds)
    }

    /// By how many seconds the clock was set since the last call. `nil`: not at all, or by a normal correction.
    ///
    /// - Parameter uptime: Milliseconds on a clock that never jumps.
    mutating func newJump(now: Timestamp, uptime: Int64) -> Int? {
        let offset = now.milliseconds - uptime
        let change = offset - (lastOffset ?? offset)
        lastOffset = offset
        guard abs(change) > Int64(Self.tolerance) * 1000 else { return nil }
        // The two clocks are read one after the other, so the change is a little off: -7 199 999 ms are two hours.
        return Int((Double(change) / 1000).rounded())
    }
}

/// Reports each jump of the system clock in the log, in both directions, also while no one asks for the health.
package struct ClockMonitor: Sendable {
    /// Seconds between two looks.
    static let interval = 5

    private let environment: ServiceEnvironment

    /// - Parameter environment: Its observer receives the notices.
    package init(environment: ServiceEnvironment) { self.environment = environment }

    /// Looks at the clock until the task is cancelled.
    package func run() async {
        var watch = ClockWatch()
        while !Task.isCancelled {
            if let seconds = watch.newJump(now: environment.now(), uptime: environment.uptime()) {
                environment.observer.observe(.notice(.clockWasSet(seconds: seconds)))
            }
            if (try? await environment.sleep(Self.interval)) == nil { return }
        }
    }
}
