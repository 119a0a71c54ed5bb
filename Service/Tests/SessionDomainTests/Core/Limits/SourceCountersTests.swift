internal import Testing

@testable internal import SessionDomain

@Suite("Counters of source addresses")
struct SourceCountersTests {
    private let one = RateLimit(limit: 1, window: 3600)

    private func key(_ number: Int) throws -> SourceCounters.Key {
        SourceCounters.Key(app: try appID(), limit: .invalidCalls, network: .customer(UInt64(number)))
    }

    private func isAllowed(
        _ number: Int, _ counters: inout SourceCounters, limit: RateLimit? = nil, at time: Timestamp = now
    ) throws -> Bool {
        if case .allowed = counters.take(try key(number), limit: limit ?? one, now: time).0 { true } else { false }
    }

    // Proves: O34
    @Test("No window is forgotten before its end while there is room")
    func kept() throws {
        var counters = SourceCounters(capacity: 1000)
        _ = try isAllowed(0, &counters, limit: one)
        #expect(try isAllowed(1, &counters, at: now + 3599))
        // The first generation is over, so the counter is in the older one.
        #expect(try isAllowed(2, &counters, at: now + 3600))
        #expect(try !isAllowed(1, &counters, at: now + 7198))
        #expect(try isAllowed(1, &counters, at: now + 7199))
    }

    @Test("A generation that is over takes the ended windows with it, and is returned")
    func dropped() throws {
        var counters = SourceCounters(capacity: 1000)
        for number in 0..<100 { _ = try isAllowed(number, &counters) }
        #expect(counters.take(try key(200), limit: one, now: now + 3600).dropped?.count == 0)
        #expect(counters.count == 101)
        #expect(counters.take(try key(201), limit: one, now: now + 7200).dropped?.count == 100)
        #expect(counters.count == 2)
    }

    @Test("At the capacity, counters in use stay, and those that were used least recently go")
    func full() throws {
        var counters = SourceCounters(capacity: 10)
        #expect(try isAllowed(0, &counters))
        for number in 1...1000 {
            #expect(try isAllowed(number, &counters))
            #expect(try !isAllowed(0, &counters), "it is in use, although it is refused")
            #expect(counters.count <= 10)
        }
        #expect(try isAllowed(1, &counters), "forgotten")
    }

    @Test("A clock that is set back by an hour loses no counter")
    func clock() throws {
        var counters = SourceCounters(capacity: 1000)
        #expect(try isAllowed(0, &counters, at: now + 3600))
        #expect(try !isAllowed(0, &counters, at: now))
        #expect(try isAllowed(1, &counters, at: now))
        #expect(counters.count == 2)
    }
}
