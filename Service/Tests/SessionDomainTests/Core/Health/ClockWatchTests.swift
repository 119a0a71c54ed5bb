import Testing

@testable import SessionDomain

@Suite("Jumps of the system clock")
struct ClockWatchTests {
    private static let start: Int64 = 1_800_000_000_000

    /// The finding after each step of system clock and uptime, in seconds.
    private func findings(_ steps: [(clock: Int64, uptime: Int64)]) -> [ClockWatch.Finding?] {
        var watch = ClockWatch()
        var (clock, uptime) = (Self.start, Int64(0))
        return steps.map { step in
            clock += step.clock * 1000
            uptime += step.uptime * 1000
            return watch.finding(now: Timestamp(milliseconds: clock), uptime: uptime)
        }
    }

    @Test("A clock that follows the elapsed time, with normal corrections, is well")
    func well() {
        #expect(findings([(0, 0), (3600, 3600), (60, 0), (0, 60), (86_400, 86_400)]).allSatisfy { $0 == nil })
    }

    @Test("A jump in either direction is reported for an hour", arguments: [61, -61, 86_400] as [Int64])
    func jump(seconds: Int64) {
        let jumped = ClockWatch.Finding.jumped(seconds: Int(seconds))
        #expect(findings([(0, 0), (seconds, 0), (3599, 3599), (1, 1)]) == [nil, jumped, jumped, nil])
    }

    @Test("A jump that was measured a little short is reported in full seconds", arguments: [7200, -7200] as [Int64])
    func rounded(seconds: Int64) {
        var watch = ClockWatch()
        _ = watch.newJump(now: Timestamp(milliseconds: Self.start), uptime: 0)
        let short = seconds * 1000 - seconds.signum()
        #expect(watch.newJump(now: Timestamp(milliseconds: Self.start + short), uptime: 0) == Int(seconds))
    }

    @Test("A clock before any release of the software is far off, also at the start")
    func farOff() {
        var watch = ClockWatch()
        #expect(watch.finding(now: Timestamp(seconds: 0), uptime: 0) == .farOff)
    }
}
