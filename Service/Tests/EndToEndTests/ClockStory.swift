import Foundation
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import Synchronization
import Testing

@Suite("A device clock that is wrong", .eachStore)
struct ClockStory {
    /// The error of a device's clock, which a test can change.
    private final class Skew: Sendable {
        private let seconds: Mutex<Double>
        init(_ seconds: Double) { self.seconds = Mutex(seconds) }
        var value: Double { seconds.withLock { $0 } }
        func jump(to seconds: Double) { self.seconds.withLock { $0 = seconds } }
    }

    private static let minutesAndYears = [-900.0, 900, -3.2e8, 3.2e8]

    private func client(
        _ world: ServiceWorld, _ skew: Skew, store: any PreludeCredentialStore = PreludeInMemoryCredentialStore(),
        faults: TestService.Faults = TestService.Faults()
    ) throws -> PreludeSessionClient {
        try world.client(store: store, clockSkew: { skew.value }, faults: faults)
    }

    // Proves: E8
    @Test(
        "Login, step-up, refresh and calls work with every nonce policy",
        arguments: minutesAndYears, [SessionPolicy.NoncePolicy.whenNeeded, .always])
    func everything(skew: Double, policy: SessionPolicy.NoncePolicy) async throws {
        let world = try await ServiceWorld { $0.sessions.noncePolicy = policy }
        try await world.allow("transfer:write")
        let client = try client(world, Skew(skew))
        try await world.signIn(client)
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        try await client.sendStepUpOTP(challenge)
        #expect(try await client.submitStepUpOTP(challenge, code: try world.code(for: "ada@example.com")) == nil)
        #expect(await client.profile?.extras["scope"] == .string("transfer:write"))
        for _ in 1...3 {
            world.clock.advance(seconds: 280)
            try await client.refresh()
            #expect(try await client.listSessions().total == 1)
        }
    }

    // Proves: E8
    @Test("After a relaunch the clock error is known, and a valid token is not refreshed", arguments: minutesAndYears)
    func relaunch(skew: Double) async throws {
        let world = try await ServiceWorld()
        let (store, faults) = (PreludeInMemoryCredentialStore(), TestService.Faults())
        let before = try client(world, Skew(skew), store: store)
        try await world.signIn(before)
        let token = await before.accessToken
        let after = try client(world, Skew(skew), store: store, faults: faults)
        faults.isOffline = true
        #expect(try await after.refresh().accessToken == token)
        faults.isOffline = false
        // An expired token is refreshed.
        world.clock.advance(seconds: 290)
        #expect(try await after.refresh().accessToken != token)
    }

    // Proves: E8
    @Test("A clock that jumps while the app runs costs a request and not the session", arguments: minutesAndYears)
    func jump(skew: Double) async throws {
        let world = try await ServiceWorld()
        let device = Skew(0)
        let client = try client(world, device)
        try await world.signIn(client)
        device.jump(to: skew)
        #expect(try await client.listSessions().total == 1)
        world.clock.advance(seconds: 400)
        // With a clock that was set back, the expired token looks valid. The service rejects it, and the SDK repeats
        // the call.
        #expect(try await client.listSessions().total == 1)
        device.jump(to: 0)
        try await client.refresh()
        #expect(try await client.listSessions().total == 1)
    }
}
