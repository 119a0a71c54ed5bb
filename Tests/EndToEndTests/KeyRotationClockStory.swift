import SessionDomain
import Testing

@Suite("Keys change while clocks jump")
struct KeyRotationClockStory {
    private static let hour = 3600
    private static let decade = 3650 * 86_400

    private static func simulation(runsWholeService: Bool = false) async throws -> RotationSimulation {
        var simulation = try await RotationSimulation(
            policy: KeyRotationPolicy(), accessTokenLifetime: 900, runsWholeService: runsWholeService)
        try await simulation.run(seconds: 900, step: 15)
        return simulation
    }

    private static func rotate(_ simulation: RotationSimulation) async throws {
        for purpose in StoredSigningKey.Purpose.allCases {
            try await simulation.nodes[0].signingKeys.rotate(purpose, of: simulation.app, reason: .request)
        }
    }

    /// Nothing was refused, and a successor that somebody asks for signs as soon as it ever does.
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

    @Test(
        "Clocks that are ahead for a while leave nothing behind that a later rotation has to wait for",
        arguments: [hour, decade], [30, 2 * hour])
    func ahead(_ seconds: Int, _ duration: Int) async throws {
        var simulation = try await Self.simulation()
        simulation.setClocks(ahead: seconds)
        try await simulation.run(seconds: duration, step: 15)
        simulation.setClocks()
        try await simulation.run(seconds: 600, step: 15)
        try await Self.expectRotationWorks(&simulation)
    }

    @Test(
        "A key that waits for its turn does not sign before it is known, wherever clocks jump",
        arguments: [-decade, -300, 300, decade])
    func pending(_ seconds: Int) async throws {
        var simulation = try await Self.simulation()
        try await Self.rotate(simulation)
        try await simulation.run(seconds: 60, step: 3)
        simulation.setClocks(ahead: seconds)
        try await simulation.run(seconds: 30, step: 3)
        simulation.setClocks()
        try await simulation.run(seconds: 1200, step: 3)
        try await Self.expectRotationWorks(&simulation)
    }

    @Test(
        "A key that has signed stays published for what it signed, wherever clocks jump",
        arguments: [-decade, hour, decade])
    func retired(_ seconds: Int) async throws {
        var simulation = try await Self.simulation()
        try await Self.rotate(simulation)
        try await simulation.run(seconds: 500, step: 5)
        simulation.setClocks(ahead: seconds)
        try await simulation.run(seconds: 90, step: 15)
        simulation.setClocks()
        try await simulation.run(seconds: 2 * Self.hour, step: 15)
        try await Self.expectRotationWorks(&simulation)
    }

    @Test(
        "A successor that is asked for while clocks are behind waits its time after they are right",
        arguments: [300, decade])
    func askedForBehind(_ seconds: Int) async throws {
        var simulation = try await Self.simulation(runsWholeService: true)
        simulation.setClocks(ahead: -seconds)
        try await simulation.run(seconds: 90, step: 3)
        try await Self.rotate(simulation)
        try await simulation.run(seconds: 15, step: 3)
        simulation.setClocks()
        try await simulation.run(seconds: 1200, step: 3)
        try await Self.expectRotationWorks(&simulation)
    }

    @Test(
        "Of two nodes one has a clock that is ahead for hours, and no key of the other is taken away",
        arguments: [hour, decade])
    func one(_ seconds: Int) async throws {
        var simulation = try await Self.simulation()
        simulation.setClocks(ahead: seconds, of: [0])
        try await simulation.run(seconds: 3 * Self.hour, step: 15)
        simulation.setClocks()
        try await simulation.run(seconds: 600, step: 15)
        try await Self.expectRotationWorks(&simulation)
        for purpose in StoredSigningKey.Purpose.allCases {
            let keys = try await simulation.store.signingKeys(of: simulation.app).filter { $0.purpose == purpose }
            #expect(keys.count <= 9)
        }
    }
}
