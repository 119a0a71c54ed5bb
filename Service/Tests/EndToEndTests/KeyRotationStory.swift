import Foundation
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

@Suite("Key rotation under load", .eachStore)
struct KeyRotationStory {
    private static let hour = 3600

    // Proves: K1
    @Test(
        "No signature is rejected while two nodes rotate and verifiers cache as long as allowed",
        arguments: [60, 900])
    func noRefusal(_ lifetime: Int) async throws {
        var simulation = try await RotationSimulation(
            policy: KeyRotationPolicy(interval: Self.hour), accessTokenLifetime: lifetime)
        try await simulation.run(seconds: Self.hour - 600, step: 30)
        try await simulation.run(seconds: 1200, step: 3)
        // Rotations on request, on each node, at arbitrary times.
        for node in simulation.nodes.reversed() {
            for purpose in StoredSigningKey.Purpose.allCases {
                try await node.signingKeys.rotate(purpose, of: simulation.app, reason: .request)
            }
            try await simulation.run(seconds: 407, step: 3)
            try await simulation.run(seconds: 1009, step: 17)
        }
        // Another algorithm, and back before its key has signed.
        for algorithm in [SignatureAlgorithm.es256, .edDSA] {
            try await simulation.nodes[1].apps.update(simulation.app) { $0.signingAlgorithm = algorithm }
            try await simulation.run(seconds: 101, step: 1)
        }
        try await simulation.run(seconds: 4 * Self.hour, step: 30)
        #expect(simulation.refusals == 0)
        #expect(simulation.checks > 50_000)
        // The first key, and its successors by schedule, by request and by algorithm.
        #expect(simulation.signers.filter { $0 == "access" }.count >= 8)
        #expect(simulation.signers.filter { $0 == "challenge" }.count >= 6)
        #expect(simulation.signers.filter { $0 == "hook" }.count >= 6)
    }

    // Proves: K1
    @Test(
        "A key published later than the formula says is rejected by a verifier",
        arguments: [(30, true), (KeyRotationPolicy.clockLeeway + 30, false)])
    func tight(_ seconds: Int, _ isStartedAnew: Bool) async throws {
        var simulation = try await RotationSimulation(
            policy: KeyRotationPolicy(interval: nil, publishAhead: KeyRotationPolicy.safePublishAhead - seconds),
            accessTokenLifetime: 300, runsWholeService: true)
        try await simulation.run(seconds: 60, step: 1)
        try await simulation.nodes[1].signingKeys.rotate(.access, of: simulation.app, reason: .request)
        // A running node measures how long it has known a key. A restarted node relies on its clock.
        if isStartedAnew { try simulation.restart() }
        try await simulation.run(seconds: 500, step: 1)
        #expect(simulation.refusals > 0)
    }

    @Test("Old challenge and hook keys stay for more than an hour, and all old keys are deleted within two days")
    func removal() async throws {
        var simulation = try await RotationSimulation(
            policy: KeyRotationPolicy(interval: nil), accessTokenLifetime: 300)
        for purpose in StoredSigningKey.Purpose.allCases {
            try await simulation.nodes[0].signingKeys.rotate(purpose, of: simulation.app, reason: .request)
        }
        func left(_ simulation: RotationSimulation) async throws -> [StoredSigningKey.Purpose: Int] {
            let keys = try await simulation.store.signingKeys(of: simulation.app)
            return Dictionary(grouping: keys, by: \.purpose).mapValues(\.count)
        }
        try await simulation.run(seconds: 395 + Self.hour, step: 60)
        #expect(try await left(simulation) == [.access: 1, .challenge: 2, .hook: 2])
        try await simulation.run(seconds: 49 * Self.hour, step: 180)
        #expect(try await left(simulation) == [.access: 1, .challenge: 1, .hook: 1])
        #expect(simulation.refusals == 0)
    }

    @Test("After an emergency rotation old tokens are rejected, and a refresh returns a valid one")
    func emergency() async throws {
        let world = try await ServiceWorld()
        let client = try await world.signedIn()
        _ = try await client.listSessions()
        let answer = try await world.manage(
            "/signing-keys/rotate", json: #"{"purpose": "access", "emergency": true}"#)
        #expect(answer.status == 200)
        let keys = try await world.service.signingKeys.all(of: world.appID).filter { $0.key.purpose == .access }
        #expect(keys.map(\.state) == [.active])
        let token = try #require(await client.accessToken)
        let refused = try await world.call(
            "/v1/session/me/list", headers: ["authorization": "Bearer \(token)"])
        #expect(refused.status == 401)
        world.clock.advance(seconds: 301)
        _ = try await client.refresh()
        _ = try await client.listSessions()
    }

    // Proves: K6
    @Test("Another node rejects signatures of a leaked key within five seconds")
    func emergencyElsewhere() async throws {
        let simulation = try await RotationSimulation(policy: KeyRotationPolicy(), accessTokenLifetime: 300)
        let (here, there) = (simulation.nodes[0], simulation.nodes[1])
        let leaked = try await there.directory.app(simulation.app).accessKey.keyID
        try await here.signingKeys.rotate(.access, of: simulation.app, reason: .emergency)
        #expect(try await here.directory.app(simulation.app).accessKeys.key(id: leaked) == nil)
        simulation.clock.advance(seconds: AppDirectory.lifetime)
        #expect(try await there.directory.app(simulation.app).accessKeys.key(id: leaked) == nil)
        #expect(
            try await there.directory.app(simulation.app).accessKey.keyID
                == here.directory.app(simulation.app).accessKey.keyID)
    }
}
