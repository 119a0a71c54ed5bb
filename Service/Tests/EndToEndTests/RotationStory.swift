import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import Testing

@Suite("Repeated, late and stolen refreshes", .eachStore)
struct RotationStory {
    /// A device with attempt ids, signed in.
    private func device(_ world: ServiceWorld) async throws -> RawDevice { try await RawDevice(world) }

    private func refresh(_ device: RawDevice, id: String, attempt: Int?, made seconds: Int64 = 0) async throws
        -> ServiceAnswer
    {
        try await device.refresh(id: id) { draft in
            draft.claims["iat"] = .int(device.world.clock.timestamp.seconds + seconds)
            if let attempt { draft.claims["attempt"] = .string(String(repeating: "A", count: 20) + "\(attempt)A") }
        }
    }

    @Test(
        "A request that arrives after its client used the successor is rejected and revokes nothing",
        arguments: [1, nil])
    func late(attempt: Int?) async throws {
        let world = try await ServiceWorld()
        var owner = try await device(world)
        let late = owner
        try owner.take(await refresh(owner, id: "retry", attempt: attempt))
        world.clock.advance(seconds: 20)
        try owner.take(await refresh(owner, id: "next", attempt: attempt.map { $0 + 1 }))
        let answer = try await refresh(late, id: "late", attempt: attempt, made: -20)
        #expect(answer.status == (attempt == nil ? 400 : 409))
        #expect(answer.code == (attempt == nil ? "use_dpop_nonce" : "token_reused"))
        let nonce = answer.head.headerFields[try #require(HTTPField.Name("DPoP-Nonce"))]
        let next = try await owner.refresh(id: "last", nonce: nonce)
        #expect(next.status == 200)
    }

    @Test(
        "A client without attempt ids gets a lost answer again until it is used, whatever the clock says",
        arguments: [59, 61, 300, -300, 7 * 86_400])
    func lostWithoutAttempt(seconds: Int) async throws {
        let world = try await ServiceWorld()
        var owner = try await device(world)
        let lost = try await refresh(owner, id: "lost", attempt: nil)
        world.clock.advance(seconds: seconds)
        let repeated = try await refresh(owner, id: "repeated", attempt: nil)
        let name = try #require(HTTPField.Name("X-Refresh-Token"))
        #expect(repeated.head.headerFields[name] == lost.head.headerFields[name])
        try owner.take(repeated)
        #expect(try await refresh(owner, id: "next", attempt: nil).status == 200)
    }

    // Proves: E4
    @Test("A copy of key and token is found when the second holder refreshes", arguments: [true, false])
    func thief(isFirst: Bool) async throws {
        let world = try await ServiceWorld()
        let store = PreludeInMemoryCredentialStore()
        let owner = try await world.signedIn(store: store)
        let stolen = PreludeInMemoryCredentialStore()
        for name in ["session", "device", "key"] {
            if let data = await store.read("localhost:8080." + name) {
                await stolen.write(data, to: "localhost:8080." + name)
            }
        }
        let thief = try world.client(store: stolen)
        world.clock.advance(seconds: 280)
        let (first, second) = isFirst ? (thief, owner) : (owner, thief)
        _ = try await first.refresh()
        let error = await #expect(throws: PreludeSessionError.self) { try await second.refresh() }
        guard case .unauthorized = error else {
            Issue.record("not rejected: \(String(describing: error))")
            return
        }
        world.clock.advance(seconds: 280)
        await #expect(throws: PreludeSessionError.self) { try await first.refresh() }
    }

    @Test("A device whose storage was set back gets a definite answer, at the latest in the next nonce window")
    func storageSetBack() async throws {
        let world = try await ServiceWorld()
        let store = PreludeInMemoryCredentialStore()
        let client = try await world.signedIn(store: store)
        let old = try #require(await store.read("localhost:8080.session"))
        for _ in 0..<3 {
            try await client.invalidateSession()
            _ = try await client.refresh()
        }
        await store.write(old, to: "localhost:8080.session")
        let relaunched = try world.client(store: store)
        try await relaunched.invalidateSession()
        await #expect(throws: PreludeSessionError.self) { try await relaunched.refresh() }
        #expect(await relaunched.sessionID != nil)
        world.clock.advance(seconds: 300)
        await #expect(throws: PreludeSessionError.self) { try await relaunched.refresh() }
        #expect(await relaunched.sessionID == nil)
    }

    // Proves: E4
    @Test("Without a place for the attempt id nothing is sent, and the session is kept")
    func noStorage() async throws {
        let world = try await ServiceWorld()
        let store = FaultyCredentialStore()
        let client = try await world.signedIn(store: store)
        let id = await client.sessionID
        world.clock.advance(seconds: 280)
        store.refuses = .writes
        let error = await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
        guard case .storageUnavailable = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(world.count(.refresh) == 0)
        store.refuses = .nothing
        #expect(try await client.refresh().profile.sessionID == id)
        #expect(world.count(.refresh) == 1)
    }
}
