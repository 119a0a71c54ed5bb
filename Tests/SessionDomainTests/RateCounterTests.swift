import SessionDomain
import Testing

@Suite("Counting")
struct RateCounterTests {
    private let now = Timestamp(seconds: 1000)

    @Test("a limit of 0 allows none, and any limit allows itself and no more", arguments: 0...5)
    func limits(limit: Int) {
        var counter: RateCounter?
        var allowed = 0
        for _ in 0..<10 {
            if case .allowed(let next) = RateCounter.take(counter, limit: RateLimit(limit: limit, window: 60), now: now)
            {
                counter = next
                allowed += 1
            }
        }
        #expect(allowed == limit)
    }

    @Test("the window ends when it said it would, and not before", arguments: [(59, false), (60, true)])
    func window(seconds: Int, isAllowed: Bool) {
        let limit = RateLimit(limit: 1, window: 60)
        guard case .allowed(let counter) = RateCounter.take(nil, limit: limit, now: now) else {
            return #expect(Bool(false))
        }
        let decision = RateCounter.take(counter, limit: limit, now: now + seconds)
        #expect(isAllowed ? decision != .refused(until: now + 60) : decision == .refused(until: now + 60))
    }
}
