internal import SessionDomain
internal import Testing

@Suite("Rate counters")
struct RateCounterTests {
    @Test("The first event starts a window, events beyond the limit are refused, and a new window starts after its end")
    func window() {
        let limit = RateLimit(limit: 2, window: 60)
        let first = RateCounter(count: 1, resetsAt: now + 60)
        let second = RateCounter(count: 2, resetsAt: now + 60)
        #expect(RateCounter.take(nil, limit: limit, now: now) == .allowed(first))
        #expect(RateCounter.take(first, limit: limit, now: now + 59) == .allowed(second))
        #expect(RateCounter.take(second, limit: limit, now: now + 59) == .refused(until: now + 60))
        let next = RateCounter(count: 1, resetsAt: now + 120)
        #expect(RateCounter.take(second, limit: limit, now: now + 60) == .allowed(next))
    }

    @Test(
        "A window that a wrong clock began in the future is over, and one of a node whose clock is ahead is not",
        arguments: [
            RateLimit(limit: 2, window: 60), .streak(2, window: 60), .refilling(2, by: 2, window: 60),
        ])
    func wrongClock(limit: RateLimit) {
        let full = 2 * (limit.refill == nil ? 1 : 60)
        let ahead = RateCounter(count: full, resetsAt: now + 86_400 + 3600)
        guard case .refused = RateCounter.take(ahead, limit: limit, now: now) else {
            Issue.record("clocks may differ by an hour")
            return
        }
        let wrong = RateCounter(count: full, resetsAt: now + 86_400 + 3601)
        let first = RateCounter(count: full / 2, resetsAt: now + 60)
        #expect(RateCounter.take(wrong, limit: limit, now: now) == .allowed(first))
    }

    @Test("A limit of zero or less allows no event", arguments: [0, -1])
    func nothing(limit: Int) {
        let decision = RateCounter.take(nil, limit: RateLimit(limit: limit, window: 60), now: now)
        #expect(decision == .refused(until: now + 60))
    }

    @Test("A lowered limit applies at once")
    func lowered() {
        let counter = RateCounter(count: 5, resetsAt: now + 60)
        let decision = RateCounter.take(counter, limit: RateLimit(limit: 3, window: 60), now: now)
        #expect(decision == .refused(until: now + 60))
    }

    @Test("A limit that refills gives each event back evenly over its window")
    func refill() {
        let limit = RateLimit.refilling(2, by: 2, window: 60)
        var counter: RateCounter?
        func take(after seconds: Int) -> Timestamp? {
            switch RateCounter.take(counter, limit: limit, now: now + seconds) {
            case .allowed(let next):
                counter = next
                return nil
            case .refused(let until): return until
            }
        }
        #expect(take(after: 0) == nil)
        #expect(take(after: 0) == nil)
        // 2 in 60 seconds: one each 30 seconds.
        #expect(take(after: 0) == now + 30)
        #expect(take(after: 29) == now + 30)
        #expect(take(after: 30) == nil)
        #expect(take(after: 30) == now + 60)
        #expect(take(after: 50) == now + 60)
        #expect(take(after: 90) == nil)
        #expect(take(after: 90) == nil, "it was full again")
        #expect(take(after: 80) != nil, "a clock that is behind gives nothing back")
    }

    @Test("Shares of one counter: who has the smaller one leaves the rest to the others")
    func shares() {
        let (small, whole) = (RateLimit.refilling(3, by: 5, window: 100), RateLimit.refilling(5, by: 5, window: 100))
        var counter: RateCounter?
        func take(_ limit: RateLimit, after seconds: Int = 0) -> Bool {
            guard case .allowed(let next) = RateCounter.take(counter, limit: limit, now: now + seconds) else {
                return false
            }
            counter = next
            return true
        }
        #expect((0..<4).map { _ in take(small) } == [true, true, true, false])
        #expect((0..<3).map { _ in take(whole) } == [true, true, false])
        // Two of the whole come back before one of the small share does.
        #expect(!take(small, after: 40) && take(small, after: 60))
    }

    @Test("Over any time, a limit that refills allows no more than its size and its refill", arguments: 0..<50)
    func refillProperty(seed: UInt64) {
        var generator = SplitMix(state: seed)
        let refill = Int.random(in: 1...200, using: &generator)
        let limit = RateLimit.refilling(Int.random(in: 1...refill, using: &generator), by: refill, window: 60)
        var (counter, time, allowed): (RateCounter?, Timestamp, Int) = (nil, now, 0)
        for _ in 0..<500 {
            time = Timestamp(milliseconds: time.milliseconds + .random(in: 0...1500, using: &generator))
            switch RateCounter.take(counter, limit: limit, now: time) {
            case .allowed(let next): (counter, allowed) = (next, allowed + 1)
            case .refused(let until):
                #expect(until > time && until <= time + 61)
                guard case .allowed = RateCounter.take(counter, limit: limit, now: until) else {
                    Issue.record("a refusal names a time that works")
                    return
                }
            }
            let most = limit.limit + Int((Double(refill) * time.seconds(since: now) / 60).rounded(.up)) + 1
            #expect(allowed <= most)
        }
        #expect(allowed >= limit.limit)
    }

    /// Random sequences of events from a seeded generator.
    // Proves: O4
    @Test("No window contains more events than the limit, and a refusal names a time that works", arguments: 0..<50)
    func property(seed: UInt64) {
        var generator = SplitMix(state: seed)
        let limit = RateLimit(limit: Int.random(in: 1...6, using: &generator), window: 60)
        var (counter, time): (RateCounter?, Timestamp) = (nil, now)
        var allowed: [Timestamp: Int] = [:]
        for _ in 0..<500 {
            time = Timestamp(milliseconds: time.milliseconds + .random(in: 0...15_000, using: &generator))
            switch RateCounter.take(counter, limit: limit, now: time) {
            case .allowed(let next):
                counter = next
                allowed[next.resetsAt, default: 0] += 1
                #expect(next.resetsAt > time)
                #expect(next.resetsAt <= time + limit.window)
            case .refused(let until):
                #expect(until > time)
                #expect(until <= time + limit.window)
                let then = RateCounter.take(counter, limit: limit, now: until)
                #expect(then == .allowed(RateCounter(count: 1, resetsAt: until + limit.window)))
            }
        }
        #expect(allowed.values.allSatisfy { $0 <= limit.limit })
        // Windows do not overlap: each ends at least its own length after the previous one.
        let ends = allowed.keys.sorted()
        #expect(zip(ends, ends.dropFirst()).allSatisfy { $0 + limit.window <= $1 })
    }
}

/// A small generator whose sequence is the same everywhere (Steele, Lea and Flood, 2014).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
