import Testing

@testable import SessionDomain

@Suite("How queues share places")
struct FairSlotsTests {
    /// Takes places for the queues until there is none, and returns how many each queue has.
    private func fill(_ places: inout FairSlots<Int>, _ queues: Range<Int>) -> [Int] {
        var taken = Array(repeating: 0, count: queues.count)
        while let queue = places.take(for: queues) { taken[queue - queues.lowerBound] += 1 }
        return taken
    }

    // Proves: M2
    @Test(
        "Queues that hang get equal shares, and leave places to a queue that has none",
        arguments: [
            (1, 16...16, 240), (2, 16...16, 224), (8, 16...16, 128), (16, 9...10, 100), (17, 9...10, 100),
            (64, 2...3, 72),
            (160, 1...2, 68), (250, 1...1, 6),
        ])
    func shares(queues: Int, each: ClosedRange<Int>, left: Int) {
        var places = FairSlots<Int>(width: MessageOutbox.width, capacity: MessageOutbox.capacity)
        let taken = fill(&places, 0..<queues)
        #expect(taken.allSatisfy(each.contains), "\(taken)")
        #expect(MessageOutbox.capacity - places.total == left)
        #expect(places.take(for: [1000]) == 1000)
    }

    @Test("A free place goes to the queue with the fewest, and of equal ones to the one that waits longest")
    func turns() {
        var places = FairSlots<String>(width: 2, capacity: 2)
        #expect(places.take(for: ["a"]) == "a")
        #expect(places.take(for: ["a", "b"]) == "b")
        #expect(places.take(for: ["a", "b", "c"]) == nil)
        places.free("a")
        #expect(places.take(for: ["a", "b", "c"]) == "c")
        places.free("c")
        #expect(places.take(for: ["c", "a", "b"]) == "a")
        places.free("b")
        #expect(places.take(for: ["c", "b", "a"]) == "b")
    }

    // Proves: M2
    @Test("With more queues that hang than places, each queue gets its turn")
    func rotation() {
        var places = FairSlots<Int>(width: 16, capacity: 8)
        _ = fill(&places, 0..<20)
        var served: [Int] = []
        var oldest = Array(0..<8)
        for _ in 0..<20 {
            places.free(oldest.removeFirst())
            guard let queue = places.take(for: 0..<21) else { continue }
            served.append(queue)
            oldest.append(queue)
        }
        #expect(served.firstIndex(of: 20).map { $0 < 13 } == true)
        #expect(Set(served + (0..<8)).count == 21)
    }
}
