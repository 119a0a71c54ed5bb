import Testing

@testable import SessionHTTP

@Suite("Places of connections")
struct ConnectionPlacesTests {
    @Test("Below the limit, connections are served and none is closed")
    func below() {
        var places = ConnectionPlaces(limit: 2, reserve: 1)
        #expect(places.open(1) == .admitted(.served, closing: nil))
        #expect(places.open(2) == .admitted(.served, closing: nil))
    }

    @Test("At the limit, a new connection takes the place of the one that waits longest (X12)")
    func oldest() {
        var places = ConnectionPlaces(limit: 2, reserve: 1)
        for id in 1...2 { _ = places.open(UInt64(id)) }
        #expect(places.open(3) == .admitted(.served, closing: 1))
        // The client of 2 has sent a request and got its response, so now 3 waits longer.
        places.becomesBusy(2)
        places.waits(2)
        #expect(places.open(4) == .admitted(.served, closing: 3))
        #expect(places.open(5) == .admitted(.served, closing: 2))
        #expect(places.kinds.count == 2)
    }

    @Test("A busy connection is never closed: new ones get the reserve, and then they are refused")
    func busy() {
        var places = ConnectionPlaces(limit: 2, reserve: 1)
        for id: UInt64 in 1...2 {
            _ = places.open(id)
            places.becomesBusy(id)
        }
        #expect(places.open(3) == .admitted(.reserved, closing: nil))
        #expect(places.open(4) == .admitted(.reserved, closing: 3))
        places.becomesBusy(4)
        #expect(places.open(5) == .refused)
        places.close(4)
        #expect(places.open(6) == .admitted(.reserved, closing: nil))
        places.waits(1)
        #expect(places.open(7) == .admitted(.served, closing: 1))
    }

    @Test("A connection that was closed to make room frees no second place")
    func closedTwice() {
        var places = ConnectionPlaces(limit: 1, reserve: 0)
        _ = places.open(1)
        #expect(places.open(2) == .admitted(.served, closing: 1))
        places.close(1)
        places.waits(1)
        #expect(places.kinds == [2: .served])
        #expect(places.open(3) == .admitted(.served, closing: 2))
    }

    @Test("The line of waiting connections stays short, however often they are busy")
    func line() {
        var line = WaitingLine()
        for _ in 0..<10_000 {
            for id: UInt64 in 1...10 {
                line.remove(id)
                line.append(id)
            }
            #expect(line.length <= 2 * 10 + 65)
        }
        #expect((1...10).map { _ in line.popFirst() } == (1...10).map { UInt64($0) })
        #expect(line.popFirst() == nil)
    }
}
