import Testing

@testable import SessionDomain

@Suite("Places of apps for work that waits")
struct AppPlacesTests {
    @Test(
        "Calls that wait get half of the requests of a node, and those of one app a third",
        arguments: [(16, 6, 4, 3, 2), (50, 18, 12, 6, 4), (512, 192, 128, 16, 11), (4096, 1536, 1024, 16, 11)])
    func bounds(requests: Int, users: Int, ofOneApp: Int, operators: Int, operatorsOfOneApp: Int) throws {
        let apps = try (0..<10).map { try appID("domain\($0)") }
        func taken(_ places: AppPlaces) -> (first: Int, all: Int) {
            var taken: [AppPlaces.Place] = []
            while let place = try? places.take(apps[0]) { taken.append(place) }
            let first = taken.count
            // The last places go to apps that have none.
            while let place = apps.lazy.compactMap({ try? places.take($0) }).first { taken.append(place) }
            #expect(places.count == taken.count)
            return (first, taken.count)
        }
        let ofUsers = taken(.ofUsers(requests: requests))
        #expect(ofUsers.first == ofOneApp && ofUsers.all == users)
        let ofOperators = taken(.ofOperators(requests: requests))
        #expect(ofOperators.first == operatorsOfOneApp && ofOperators.all == operators)
        #expect(ofOneApp * 3 <= requests && (users + operators) * 2 <= max(requests, 18))
    }

    @Test("An app that waits leaves places to others, is told when to try again, and gives its places back")
    func shares() throws {
        let places = AppPlaces(total: 12, patience: 5)
        let (slow, other) = (try appID("domain1"), try appID("domain2"))
        var taken: [AppPlaces.Place] = []
        while let place = try? places.take(slow) { taken.append(place) }
        #expect(taken.count == 8)
        #expect(throws: Refusal.overloaded(retryAfter: 5)) { try places.take(slow) }
        let first = try places.take(other)
        _ = try places.take(other)
        taken.removeAll()
        for _ in 0..<6 { taken.append(try places.take(slow)) }
        _ = first
    }
}
