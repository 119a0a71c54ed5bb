internal import SessionDomain
internal import Testing

@Suite("Streaks of failed checks")
struct FailureStreakTests {
    private static let limit = RateLimit.streak(99, window: LimitSettings.streakWindow)

    // Proves: O23
    @Test(
        "After ten failures each further one makes the next wait longer, up to an hour",
        arguments: [
            (0, 0), (9, 0), (10, 30), (11, 60), (12, 120), (13, 240), (14, 480), (15, 960), (16, 1920), (17, 3600),
            (18, 3600), (98, 3600), (1000, 3600),
        ])
    func pauses(failures: Int, seconds: Int) {
        #expect(RateLimit.pause(after: failures) == seconds)
    }

    // Proves: O23
    @Test("A streak waits from its last failure, and ends 30 days after it")
    func window() {
        let counter = RateCounter(count: 10, resetsAt: now + LimitSettings.streakWindow)
        func take(after seconds: Int) -> RateDecision {
            RateCounter.take(counter, limit: Self.limit, now: now + seconds)
        }
        #expect(take(after: 29) == .refused(until: now + 30))
        #expect(
            take(after: 30) == .allowed(RateCounter(count: 11, resetsAt: now + 30 + LimitSettings.streakWindow)))
        #expect(
            take(after: LimitSettings.streakWindow)
                == .allowed(RateCounter(count: 1, resetsAt: now + 2 * LimitSettings.streakWindow)))
    }

    @Test("A concurrent call that began a second before the last failure is counted, and shortens no window")
    func concurrent() {
        let counter = RateCounter(count: 5, resetsAt: now + 1 + LimitSettings.streakWindow)
        #expect(
            RateCounter.take(counter, limit: Self.limit, now: now)
                == .allowed(RateCounter(count: 6, resetsAt: now + 1 + LimitSettings.streakWindow)))
    }

    // Proves: O23
    @Test("Fewer than 100 consecutive failures are possible, however patient the caller is (NIST SP 800-63B-4 §3.2.2)")
    func patient() {
        var (counter, time, failures): (RateCounter?, Timestamp, Int) = (nil, now, 0)
        attempts: while failures < 1000 {
            switch RateCounter.take(counter, limit: Self.limit, now: time) {
            case .allowed(let next): (counter, failures) = (next, failures + 1)
            case .refused(let until):
                guard until < time + 7200 else { break attempts }
                time = until
            }
        }
        #expect(failures == 99)
    }
}
