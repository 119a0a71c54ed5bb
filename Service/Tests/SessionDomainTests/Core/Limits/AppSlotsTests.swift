import Testing

@testable import SessionDomain

@Suite("Places of apps for work that waits")
struct AppSlotsTests {
    // Proves: N2
    @Test(
        "Calls that wait get half of the requests of a node, and those of one app a third",
        arguments: [(16, 6, 4, 3, 2), (50, 18, 12, 6, 4), (512, 192, 128, 16, 11), (4096, 1536, 1024, 16, 11)])
    func bounds(requests: Int, users: Int, ofOneApp: Int, operators: Int, operatorsOfOneApp: Int) throws {
        let apps = try (0..<10).map { try appID("domain\($0)") }
        func taken(_ slots: AppSlots) -> (first: Int, all: Int) {
            var taken: [AppSlots.Slot] = []
            while let slot = try? slots.take(apps[0]) { taken.append(slot) }
            let first = taken.count
            // The last slots go to apps that have none.
            while let slot = apps.lazy.compactMap({ try? slots.take($0) }).first { taken.append(slot) }
            #expect(slots.count == taken.count)
            return (first, taken.count)
        }
        let ofUsers = taken(.ofUsers(requests: requests))
        #expect(ofUsers.first == ofOneApp && ofUsers.all == users)
        let ofOperators = taken(.ofOperators(requests: requests))
        #expect(ofOperators.first == operatorsOfOneApp && ofOperators.all == operators)
        #expect(ofOneApp * 3 <= requests && (users + operators) * 2 <= max(requests, 18))
    }

    @Test("An app that waits leaves slots to others, is told when to try again, and gives its slots back")
    func shares() throws {
        let slots = AppSlots(total: 12, patience: 5)
        let (slow, other) = (try appID("domain1"), try appID("domain2"))
        var taken: [AppSlots.Slot] = []
        while let slot = try? slots.take(slow) { taken.append(slot) }
        #expect(taken.count == 8)
        #expect(throws: Refusal.overloaded(retryAfter: 5)) { try slots.take(slow) }
        let first = try slots.take(other)
        _ = try slots.take(other)
        taken.removeAll()
        for _ in 0..<6 { taken.append(try slots.take(slow)) }
        _ = first
    }
}
