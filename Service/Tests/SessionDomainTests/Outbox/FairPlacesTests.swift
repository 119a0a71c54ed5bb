import Testing

@testable import SessionDomain

@Suite("How lanes share places")
struct FairPlacesTests {
    /// Takes places for the lanes until there is none, and returns how many each lane has.
    private func fill(_ places: inout FairPlaces<Int>, _ lanes: Range<Int>) -> [Int] {
        var taken = Array(repeating: 0, count: lanes.count)
        while let lane = places.take(for: lanes) { taken[lane - lanes.lowerBound] += 1 }
        return taken
    }

    @Test(
        "Lanes that hang get equal shares, and leave places to a lane that has none",
        arguments: [
            (1, 16...16, 240), (2, 16...16, 224), (8, 16...16, 128), (16, 9...10, 100), (17, 9...10, 100),
            (64, 2...3, 72),
            (160, 1...2, 68), (250, 1...1, 6),
        ])
    func shares(lanes: Int, each: ClosedRange<Int>, left: Int) {
        var places = FairPlaces<Int>(width: MessageOutbox.width, capacity: MessageOutbox.capacity)
        let taken = fill(&places, 0..<lanes)
        #expect(taken.allSatisfy(each.contains), "\(taken)")
        #expect(MessageOutbox.capacity - places.total == left)
        #expect(places.take(for: [1000]) == 1000)
    }

    @Test("A free place goes to the lane with the fewest, and of equal ones to the one that waits longest")
    func turns() {
        var places = FairPlaces<String>(width: 2, capacity: 2)
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

    @Test("With more lanes that hang than places, each lane gets its turn")
    func rotation() {
        var places = FairPlaces<Int>(width: 16, capacity: 8)
        _ = fill(&places, 0..<20)
        var served: [Int] = []
        var oldest = Array(0..<8)
        for _ in 0..<20 {
            places.free(oldest.removeFirst())
            guard let lane = places.take(for: 0..<21) else { continue }
            served.append(lane)
            oldest.append(lane)
        }
        #expect(served.firstIndex(of: 20).map { $0 < 13 } == true)
        #expect(Set(served + (0..<8)).count == 21)
    }
}
