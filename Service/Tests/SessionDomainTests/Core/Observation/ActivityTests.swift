import Synchronization
import Testing

@testable import SessionDomain

@Suite("What the graphs of the console remember")
struct ActivityTests {
    /// A full minute, in milliseconds.
    private static let start: Int64 = 1_800_000_000_000

    private func amounts(_ count: Int) -> ActivityAmounts {
        var amounts = ActivityAmounts()
        amounts[.refreshesRenewed] = count
        amounts.latency.counts[3] = count
        return amounts
    }

    private func refreshes(_ ring: ActivityRing) -> [Int?] { ring.slots.map { $0?[.refreshesRenewed] } }

    @Test("A slot has what was counted since the slot before, and a slot without a reading has none")
    func slots() {
        let recorder = ActivityRecorder(node: "a", startedAt: Timestamp(milliseconds: Self.start))
        for (milliseconds, total) in [(10_020, 3), (20_900, 3), (29_999, 7), (50_000, 8)] as [(Int64, Int)] {
            recorder.record(amounts(total), at: Timestamp(milliseconds: Self.start + milliseconds))
        }
        #expect(refreshes(recorder.hour).suffix(5) == [3, 0, 4, nil, 1])
        #expect(refreshes(recorder.hour).dropLast(5).allSatisfy { $0 == nil })
        #expect(recorder.hour.end == Timestamp(milliseconds: Self.start + 50_000))
        #expect(recorder.hour.slots.last??.latency.counts[3] == 1)
        #expect(refreshes(recorder.day).suffix(2) == [nil, 8])
    }

    @Test("A ring keeps its last slots only, however long it runs")
    func bound() {
        var ring = ActivityRing(step: 10, capacity: 6)
        for slot in 0..<100 as Range<Int64> { ring.add(amounts(Int(slot)), at: slot * 10) }
        #expect(refreshes(ring) == [94, 95, 96, 97, 98, 99])
        ring.add(amounts(7), at: 5000)
        #expect(refreshes(ring) == [nil, nil, nil, nil, nil, 7])
    }

    @Test("A clock that was set back a little adds to the newest slot, and otherwise the ring begins again")
    func clockWasSetBack() {
        var ring = ActivityRing(step: 10, capacity: 6)
        for (count, time) in [(1, 1000), (2, 1010), (4, 1009), (8, 1019)] as [(Int, Int64)] {
            ring.add(amounts(count), at: time)
        }
        #expect(refreshes(ring) == [nil, nil, nil, nil, 1, 14])
        ring.add(amounts(16), at: 500)
        #expect(refreshes(ring) == [nil, nil, nil, nil, nil, 16])
        #expect(ring.end == Timestamp(seconds: 510))
    }

    @Test("Amounts survive packing, and an amount that became smaller counts as 0")
    func packing() {
        var amounts = ActivityAmounts()
        for count in ActivityCount.allCases { amounts[count] = count.rawValue + 1 }
        for index in amounts.latency.counts.indices { amounts.latency.counts[index] = 100 + index }
        #expect(ActivityAmounts(packed: amounts.packed) == amounts)
        #expect(amounts.packed.count == ActivityAmounts.width)
        #expect(ActivityAmounts().since(amounts) == ActivityAmounts())
        #expect(amounts.since(ActivityAmounts()) == amounts)
    }

    @Test("The counters are read at the end of each slot, whatever the time of the start is")
    func times() async {
        let clock = Mutex(Self.start + 3_456)
        let steps = Mutex(40)
        let recorder = ActivityRecorder(node: "a", startedAt: Timestamp(milliseconds: Self.start))
        var environment = ServiceEnvironment.live
        environment.now = { Timestamp(milliseconds: clock.withLock { $0 }) }
        environment.sleep = { seconds in
            #expect((1...10).contains(seconds))
            guard
                steps.withLock({
                    $0 -= 1
                    return $0
                }) > 0
            else { throw CancellationError() }
            // A busy machine wakes a task up late.
            clock.withLock { $0 += Int64(seconds) * 1000 + 137 }
        }
        let total = Mutex(0)
        await recorder.run(environment) {
            amounts(
                total.withLock {
                    $0 += 1
                    return $0
                })
        }
        #expect(refreshes(recorder.hour).suffix(40) == [nil] + Array(repeating: 1, count: 39))
    }

    @Test("A part of calls is found in its bucket, as an even spread has it")
    func quantiles() {
        var latency = LatencyCounts()
        #expect(latency.quantile(0.5) == nil)
        // 100 calls between 10 and 25 milliseconds, and 100 above the last bound.
        latency.counts[4] = 100
        #expect(latency.quantile(0.5).map { ($0 * 10_000).rounded() } == 175)
        #expect(latency.quantile(1) == 0.025)
        latency.counts[13] = 100
        #expect(latency.quantile(0.99) == 10)
        #expect(latency.quantile(0.5) == 0.025)
    }
}
