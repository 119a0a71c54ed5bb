import SessionDomain
import Testing

@Suite("Key rotation while clocks jump", .eachStore)
struct KeyRotationClockStory {
    private static let hour = 3600
    private static let decade = 3650 * 86_400

    private static func simulation(runsWholeService: Bool = false) async throws -> RotationSimulation {
        var simulation = try await RotationSimulation(
            policy: KeyRotationPolicy(), accessTokenLifetime: 900, runsWholeService: runsWholeService)
        try await simulation.run(seconds: 900, step: 30)
        return simulation
    }

    private static func rotate(_ simulation: RotationSimulation) async throws {
        for purpose in StoredSigningKey.Purpose.allCases {
            try await simulation.nodes[0].signingKeys.rotate(purpose, of: simulation.app, reason: .request)
        }
    }

    /// No signature was rejected, and a successor that is requested now signs after the usual delay.
    private static func expectRotationWorks(
        _ simulation: inout RotationSimulation, sourceLocation: SourceLocation = #_sourceLocation
    )
        async throws
    {
        let before = simulation.signers.count
        try await rotate(simulation)
        try await simulation.run(seconds: 500, step: 5)
        #expect(simulation.signers.count == before + 3, sourceLocation: sourceLocation)
        #expect(simulation.refusals == 0, sourceLocation: sourceLocation)
        #expect(simulation.checks > 1000, sourceLocation: sourceLocation)
    }

    // Proves: K3
    @Test(
        "Clocks that were ahead for a while do not delay a later rotation",
        arguments: [hour, decade], [30, 2 * hour])
    func ahead(_ seconds: Int, _ duration: Int) async throws {
        var simulation = try await Self.simulation()
        simulation.setClocks(ahead: seconds)
        try await simulation.run(seconds: duration, step: min(duration, 60))
        simulation.setClocks()
        try await simulation.run(seconds: 600, step: 15)
        try await Self.expectRotationWorks(&simulation)
    }

    // Proves: K3
    @Test(
        "A new key does not sign before all verifiers know it, even if clocks jump",
        arguments: [-decade, -300, 300, decade])
    func pending(_ seconds: Int) async throws {
        var simulation = try await Self.simulation()
        try await Self.rotate(simulation)
        try await simulation.run(seconds: 60, step: 3)
        simulation.setClocks(ahead: seconds)
        try await simulation.run(seconds: 30, step: 3)
        simulation.setClocks()
        // The new key begins to sign in these minutes.
        try await simulation.run(seconds: 540, step: 3)
        try await simulation.run(seconds: 660, step: 20)
        try await Self.expectRotationWorks(&simulation)
    }

    // Proves: K3
    @Test(
        "A retired key stays published until its signatures expire, even if clocks jump",
        arguments: [-decade, hour, decade])
    func retired(_ seconds: Int) async throws {
        var simulation = try await Self.simulation()
        try await Self.rotate(simulation)
        try await simulation.run(seconds: 500, step: 5)
        simulation.setClocks(ahead: seconds)
        try await simulation.run(seconds: 90, step: 15)
        simulation.setClocks()
        try await simulation.run(seconds: 2 * Self.hour, step: 60)
        try await Self.expectRotationWorks(&simulation)
    }

    @Test(
        "A successor requested while clocks are behind signs only after the usual delay",
        arguments: [300, decade])
    func askedForBehind(_ seconds: Int) async throws {
        var simulation = try await Self.simulation(runsWholeService: true)
        simulation.setClocks(ahead: -seconds)
        try await simulation.run(seconds: 90, step: 3)
        try await Self.rotate(simulation)
        try await simulation.run(seconds: 15, step: 3)
        simulation.setClocks()
        // The new key begins to sign in these minutes.
        try await simulation.run(seconds: 540, step: 3)
        try await simulation.run(seconds: 660, step: 20)
        try await Self.expectRotationWorks(&simulation)
    }

    @Test(
        "A node whose clock is ahead for hours deletes no key of the other node",
        arguments: [hour, decade])
    func one(_ seconds: Int) async throws {
        var simulation = try await Self.simulation()
        simulation.setClocks(ahead: seconds, of: [0])
        try await simulation.run(seconds: 2 * Self.hour, step: 60)
        simulation.setClocks()
        try await simulation.run(seconds: 600, step: 15)
        try await Self.expectRotationWorks(&simulation)
        for purpose in StoredSigningKey.Purpose.allCases {
            let keys = try await simulation.store.signingKeys(of: simulation.app).filter { $0.purpose == purpose }
            #expect(keys.count <= 9)
        }
    }
}
