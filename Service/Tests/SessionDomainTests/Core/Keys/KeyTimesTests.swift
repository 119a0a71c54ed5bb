import Foundation
import Testing

@testable import SessionDomain

@Suite("Times of keys after a wrong clock")
struct KeyTimesTests {
    private static let decade = 3650 * 86_400
    private let wait = KeyRotationPolicy().retention(of: .access)

    private func key(
        _ id: String, created: Int, from: Int, retires: Int? = nil, removeAfter: Int? = nil
    ) throws -> StoredSigningKey {
        StoredSigningKey(
            appID: try appID(), purpose: .access, keyID: id, algorithm: .edDSA, sealedPrivateKey: Data(),
            createdAt: now + created, activeFrom: now + from, retiresAt: retires.map { now + $0 },
            removeAfter: removeAfter.map { now + $0 })
    }

    private func times(_ keys: [StoredSigningKey]) -> KeyTimes {
        KeyTimes(of: keys, purpose: .access, policy: KeyRotationPolicy(), now: now)
    }

    private func decide(
        _ reason: KeyRotation.Reason, _ keys: [StoredSigningKey]
    ) throws -> KeyRotationDecision {
        let app = App(id: try appID(), name: "a", createdAt: now)
        return KeyRotation(
            appID: app.id, purpose: .access, reason: reason, policy: KeyRotationPolicy(),
            candidate: try key("new", created: 0, from: 0), now: now,
            events: EventFactory(appID: app.id, environment: stillEnvironment)
        ).decide(keys, app: app)
    }

    @Test("A key created in the future waits again from now, and the key before it signs until then")
    func future() throws {
        let next = try key("next", created: Self.decade, from: Self.decade + 395)
        let old = try key(
            "old", created: -1000, from: -1000, retires: Self.decade + 395, removeAfter: Self.decade + 395 + wait)
        let expected = [
            try key("next", created: 0, from: 395),
            try key("old", created: -1000, from: -1000, retires: 395, removeAfter: 395 + wait),
        ]
        #expect(times([next, old]).kept == expected)
        #expect(times([next, old]).rescheduled == ["next"])
        // A rotation finds a successor that waits already, but not for ten years.
        for reason in [KeyRotation.Reason.request, .schedule] {
            #expect(try decide(reason, [next, old]) == KeyRotationDecision(changed: expected, rescheduled: ["next"]))
        }
    }

    @Test("Keys that wait behind a key created in the future get new times in the same order")
    func chain() throws {
        let last = try key("last", created: 0, from: Self.decade + 396)
        let next = try key(
            "next", created: Self.decade, from: Self.decade + 395, retires: Self.decade + 396,
            removeAfter: Self.decade + 396 + wait)
        let old = try key(
            "old", created: -1000, from: -1000, retires: Self.decade + 395, removeAfter: Self.decade + 395 + wait)
        let kept = times([last, next, old]).kept
        #expect(kept.map(\.activeFrom) == [now + 396, now + 395, now - 1000])
        #expect(kept.map(\.retiresAt) == [nil, now + 396, now + 395])
    }

    @Test("A clock difference within the leeway needs no correction", arguments: [(60, 0), (61, 1)])
    func tolerance(_ ahead: Int, _ corrections: Int) throws {
        let keys = [try key("next", created: ahead, from: ahead + 395), try key("old", created: -1000, from: -1000)]
        #expect(times(keys).rescheduled.count == corrections)
        #expect(times(keys).kept == keys || corrections > 0)
    }

    @Test("A key that signs before its activeFrom, because it is the only one, is active from now on")
    func alone() throws {
        let only = try key("only", created: Self.decade, from: Self.decade + 395)
        #expect(times([only]).kept == [try key("only", created: 0, from: 0)])
        #expect(try decide(.request, [only]).added?.activeFrom == now + 395)
    }

    @Test("A retired key is removed after two waiting times; the second begins when a round sees the end of the first")
    func twoWaits() throws {
        let new = try key("new", created: -Self.decade, from: -wait)
        let old = try key("old", created: -Self.decade, from: -Self.decade, retires: -wait, removeAfter: 0)
        let waiting = times([new, old]).kept[1]
        #expect(waiting.removeAfter == now + wait)
        #expect(times([new, old]).removable.isEmpty)
        for (elapsed, isRemovable) in [(wait - 1, false), (wait, true)] {
            let later = KeyTimes(
                of: [new, waiting], purpose: .access, policy: KeyRotationPolicy(), now: now + elapsed)
            #expect(later.removable == (isRemovable ? [waiting] : []))
            #expect(later.kept.count == (isRemovable ? 1 : 2))
        }
    }

    @Test("An end that a wrong clock has set years ahead is corrected to the normal retention")
    func farEnd() throws {
        let new = try key("new", created: -500, from: -100)
        let old = try key("old", created: -1000, from: -1000, retires: -100, removeAfter: Self.decade)
        #expect(times([new, old]).kept[1].removeAfter == now + wait)
    }

    @Test("With 8 keys of one purpose age adds no more, but a request does")
    func bound() throws {
        let keys = try (0..<KeyRotation.maximumByAge).map { index in
            try key(
                "\(index)", created: -Self.decade, from: -Self.decade - index,
                retires: index == 0 ? nil : -wait, removeAfter: index == 0 ? nil : 1)
        }
        #expect(try decide(.schedule, keys).added == nil)
        #expect(try decide(.schedule, Array(keys.dropLast())).added != nil)
        #expect(try decide(.request, keys).added != nil)
    }
}
