import SessionDomain
import Testing

@Suite("Keys change while clocks jump")
struct KeyRotationClockStory {
    private static let hour = 3600
    private static let decade = 3650 * 86_400

    private static func world() async throws -> RotationSimulation {
        var world = try await RotationSimulation(policy: KeyRotationPolicy(), accessTokenLifetime: 900)
        try await world.run(seconds: 900, step: 15)
        return world
    }

    private static func rotate(_ world: RotationSimulation) async throws {
        for purpose in StoredSigningKey.Purpose.allCases {
            try await world.nodes[0].signingKeys.rotate(purpose, of: world.app, reason: .request)
        }
    }

    /// Nothing was refused, and a successor that somebody asks for signs as soon as it ever does.
    private static func expectAllIsWell(
        _ world: inout RotationSimulation, sourceLocation: SourceLocation = #_sourceLocation
    )
        async throws
    {
        let before = world.signers.count
        try await rotate(world)
        try await world.run(seconds: 500, step: 5)
        #expect(world.signers.count == before + 3, sourceLocation: sourceLocation)
        #expect(world.refusals == 0, sourceLocation: sourceLocation)
        #expect(world.checks > 1000, sourceLocation: sourceLocation)
    }

    @Test(
        "Clocks that are ahead for a while leave nothing behind that a later rotation has to wait for",
        arguments: [hour, decade], [30, 2 * hour])
    func ahead(_ seconds: Int, _ duration: Int) async throws {
        var world = try await Self.world()
        world.setClocks(ahead: seconds)
        try await world.run(seconds: duration, step: 15)
        world.setClocks()
        try await world.run(seconds: 600, step: 15)
        try await Self.expectAllIsWell(&world)
    }

    @Test(
        "A key that waits for its turn does not sign before it is known, wherever clocks jump",
        arguments: [-decade, -300, 300, decade])
    func pending(_ seconds: Int) async throws {
        var world = try await Self.world()
        try await Self.rotate(world)
        try await world.run(seconds: 60, step: 3)
        world.setClocks(ahead: seconds)
        try await world.run(seconds: 30, step: 3)
        world.setClocks()
        try await world.run(seconds: 1200, step: 3)
        try await Self.expectAllIsWell(&world)
    }

    @Test(
        "A key that has signed stays published for what it signed, wherever clocks jump",
        arguments: [-decade, hour, decade])
    func retired(_ seconds: Int) async throws {
        var world = try await Self.world()
        try await Self.rotate(world)
        try await world.run(seconds: 500, step: 5)
        world.setClocks(ahead: seconds)
        try await world.run(seconds: 90, step: 15)
        world.setClocks()
        try await world.run(seconds: 2 * Self.hour, step: 15)
        try await Self.expectAllIsWell(&world)
    }

    @Test(
        "A successor that is asked for while clocks are behind waits its time after they are right",
        arguments: [300, decade])
    func askedForBehind(_ seconds: Int) async throws {
        var world = try await Self.world()
        world.setClocks(ahead: -seconds)
        try await world.run(seconds: 90, step: 3)
        try await Self.rotate(world)
        try await world.run(seconds: 15, step: 3)
        world.setClocks()
        try await world.run(seconds: 1200, step: 3)
        try await Self.expectAllIsWell(&world)
    }

    @Test(
        "Of two nodes one has a clock that is ahead for hours, and no key of the other is taken away",
        arguments: [hour, decade])
    func one(_ seconds: Int) async throws {
        var world = try await Self.world()
        world.setClocks(ahead: seconds, of: [0])
        try await world.run(seconds: 3 * Self.hour, step: 15)
        world.setClocks()
        try await world.run(seconds: 600, step: 15)
        try await Self.expectAllIsWell(&world)
        for purpose in StoredSigningKey.Purpose.allCases {
            let keys = try await world.nodes[0].store.signingKeys(of: world.app).filter { $0.purpose == purpose }
            #expect(keys.count <= 9)
        }
    }
}
