import Testing

@testable import SessionDomain

@Suite("Places of apps for work that waits")
struct AppPlacesTests {
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
