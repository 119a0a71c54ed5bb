import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Testing

@Suite("The service's clock is ahead when it starts, and is corrected")
struct RedemptionClockStory {
    /// Starts another process of the service, whose clock is wrong during its first round of housekeeping, and stops it.
    private func restart(_ world: ServiceWorld, clockError: Int) async throws {
        let clock = world.clock
        let node = try world.node {
            $0.now = { clock.timestamp + clockError }
            $0.uptime = { clock.timestamp.milliseconds }
            $0.sleep = { _ in throw CancellationError() }
        }
        await node.service.runHousekeeping { Issue.record($0) }
    }

    @Test(
        "A login challenge is redeemed once, even if a wrong clock deletes its redemption (R17)",
        arguments: [300, 3600, 3650 * 86_400])
    func login(clockError: Int) async throws {
        let world = try await ServiceWorld()
        let device = RawDevice(signedOut: world)
        let (used, later) = (
            try await world.completedLogin("ada@example.com"), try await world.completedLogin("bob@example.com")
        )
        #expect(try await device.finalize(used, id: "first").status == 200)
        try await restart(world, clockError: clockError)
        let second = try await device.finalize(used, id: "second")
        #expect(second.status == 409)
        #expect(second.body["code"]?.stringValue == "token_reused")
        // Its redemption may have been deleted, too: both expire at the same time.
        #expect(try await device.finalize(later, id: "third").status == 409)
        world.clock.advance(seconds: 1)
        let new = try await world.completedLogin("bob@example.com")
        #expect(try await device.finalize(new, id: "fourth").status == 200)
    }

    @Test("A step-up challenge is redeemed once, even if a wrong clock deletes it (S3)")
    func stepUp() async throws {
        let world = try await ServiceWorld()
        try await world.allow("pay", status: "continue", mode: "session-bound", steps: [])
        var device = try await RawDevice(world)
        var credentials = try device.credentials(.stepUpRequest)
        credentials.scheme = try #require(device.tokenType)
        let requested = try await device.send(.stepUpRequest, json: #"{"scope":"pay"}"#, credentials)
        let token = try #require(requested.body["challenge_token"]?.stringValue)
        try device.take(try await refresh(device, redeeming: token, id: "first"))
        #expect(try await refresh(device, redeeming: token, id: "second").status == 409)
        try await restart(world, clockError: 300)
        let deleted = try await refresh(device, redeeming: token, id: "third")
        #expect(deleted.status == 401)
        #expect(deleted.body["code"]?.stringValue == "invalid_challenge_token")
    }

    private func refresh(_ device: RawDevice, redeeming token: String, id: String) async throws -> ServiceAnswer {
        try await device.send(
            .refresh, json: #"{"step_up_token":"\#(token)"}"#,
            RawDevice.Credentials(
                proofs: try device.proof(.post, .refresh, id: id).headers(),
                headers: [HeaderName.refreshToken: device.refreshToken]))
    }

    @Test("A proof is accepted once, even if a wrong clock deletes old replay memory (RFC 9449 §11.1)")
    func proof() async throws {
        let world = try await ServiceWorld()
        var device = try await RawDevice(world)
        let issuer = try await world.service.directory.app(world.appID).nonces
        // The nonce is valid in its window of 300 seconds, which begins now, and in the next one.
        world.clock.advance(seconds: 300 - Int(world.clock.timestamp.seconds % issuer.window))
        let nonce = issuer.current(at: world.clock.timestamp.seconds)
        try device.take(try await device.refresh(id: "once", nonce: nonce))
        world.clock.advance(seconds: 400)
        for error in [0, 300] {
            try await restart(world, clockError: error)
            let replay = try await device.refresh(id: "once", nonce: nonce)
            #expect(replay.status == 400)
            #expect(replay.body["code"]?.stringValue == "invalid_dpop_proof")
        }
    }
}
