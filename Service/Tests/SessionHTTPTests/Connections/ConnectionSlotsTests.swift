import Testing

@testable import SessionHTTP

@Suite("Places of connections")
struct ConnectionSlotsTests {
    @Test("Below the limit, connections are served and none is closed")
    func below() {
        var slots = ConnectionSlots(limit: 2, reserve: 1)
        #expect(slots.open(1) == .admitted(.served, closing: nil))
        #expect(slots.open(2) == .admitted(.served, closing: nil))
    }

    @Test("At the limit, a new connection takes the slot of the one that waits longest (X12)")
    func oldest() {
        var slots = ConnectionSlots(limit: 2, reserve: 1)
        for id in 1...2 { _ = slots.open(UInt64(id)) }
        #expect(slots.open(3) == .admitted(.served, closing: 1))
        // The client of 2 has sent a request and got its response, so now 3 waits longer.
        slots.becomesBusy(2)
        slots.waits(2)
        #expect(slots.open(4) == .admitted(.served, closing: 3))
        #expect(slots.open(5) == .admitted(.served, closing: 2))
        #expect(slots.kinds.count == 2)
    }

    @Test("A busy connection is never closed: new ones get the reserve, and then they are refused")
    func busy() {
        var slots = ConnectionSlots(limit: 2, reserve: 1)
        for id: UInt64 in 1...2 {
            _ = slots.open(id)
            slots.becomesBusy(id)
        }
        #expect(slots.open(3) == .admitted(.reserved, closing: nil))
        #expect(slots.open(4) == .admitted(.reserved, closing: 3))
        slots.becomesBusy(4)
        #expect(slots.open(5) == .refused)
        slots.close(4)
        #expect(slots.open(6) == .admitted(.reserved, closing: nil))
        slots.waits(1)
        #expect(slots.open(7) == .admitted(.served, closing: 1))
    }

    @Test("A connection that was closed to make room frees no second slot")
    func closedTwice() {
        var slots = ConnectionSlots(limit: 1, reserve: 0)
        _ = slots.open(1)
        #expect(slots.open(2) == .admitted(.served, closing: 1))
        slots.close(1)
        slots.waits(1)
        #expect(slots.kinds == [2: .served])
        #expect(slots.open(3) == .admitted(.served, closing: 2))
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
