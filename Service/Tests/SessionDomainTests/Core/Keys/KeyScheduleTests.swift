import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Key schedule")
struct KeyScheduleTests {
    /// One key that has signed, one that signs from `now` on, one that signs in 100 seconds.
    private func schedule() throws -> KeySchedule {
        let times: [(String, Int, Int?, Int?)] = [
            ("was", -100, 0, 50), ("is", 0, 100, 150), ("will", 100, nil, nil),
        ]
        return KeySchedule(
            try times.map { id, from, retires, remove in
                StoredSigningKey(
                    appID: try appID(), purpose: .access, keyID: id, algorithm: .edDSA, sealedPrivateKey: Data(),
                    createdAt: now - 500, activeFrom: now + from, retiresAt: retires.map { now + $0 },
                    removeAfter: remove.map { now + $0 })
            }, purpose: .access)
    }

    @Test(
        "The latest key whose activeFrom has passed signs; if none has passed, the first one signs",
        arguments: [(-101, "was"), (-100, "was"), (-1, "was"), (0, "is"), (99, "is"), (100, "will"), (9999, "will")])
    func signing(_ seconds: Int, _ id: String) throws {
        #expect(try schedule().signing(at: now + seconds)?.keyID == id)
    }

    @Test("A key that is not known everywhere does not sign; if none is, the oldest one signs")
    func known() throws {
        let schedule = try schedule()
        #expect(schedule.signing(at: now + 100) { $0.keyID != "will" }?.keyID == "is")
        #expect(schedule.signing(at: now + 100) { $0.keyID == "was" }?.keyID == "was")
        #expect(schedule.signing(at: now + 100) { _ in false }?.keyID == "was")
        #expect(schedule.signing(at: now) { _ in true }?.keyID == "is")
    }

    @Test("A key is pending, then active, then retired")
    func states() throws {
        let schedule = try schedule()
        #expect(schedule.keys.map { schedule.state(of: $0, at: now) } == [.pending, .active, .retired])
    }

    @Test("A span reaches from one key's activeFrom to the next one's")
    func span() throws {
        let schedule = try schedule()
        #expect(schedule.span(around: now) == now..<(now + 100))
        #expect(schedule.span(around: now - 1) == (now - 100)..<now)
        #expect(schedule.span(around: now + 150).contains(now + 1_000_000))
    }

    @Test("A cached app changes its signing key by the clock alone")
    func runtime() throws {
        let ring = TestApp.keys
        var keys = try TestApp.signingKeys.get()
        var next = try ring.makeSigningKey(app: try appID(), purpose: .access, algorithm: .es256, at: now)
        next.activeFrom = now + 100
        keys[0].removeAfter = now + 50
        let app = try AppRuntime(
            app: App(id: try appID(), name: "a", createdAt: now), stored: keys + [next], keys: ring,
            origins: try PublicOrigins(publicURL: "https://session.example.com"), policy: TestApp.keyRotation, at: now,
            uptime: 0)
        #expect(app.at(now + 99, uptime: 0).accessKey.keyID == keys[0].keyID)
        #expect(app.at(now + 100, uptime: 0).accessKey.keyID == next.keyID)
        // All stored keys are published: a clock jump removes none.
        #expect(app.at(now + 1_000_000, uptime: 0).accessKeys.key(id: keys[0].keyID) != nil)
        #expect(app.at(now + 200, uptime: 0).at(now, uptime: 0).accessKey.keyID == keys[0].keyID)
    }
}
