import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Testing

@Suite("The service's clock is ahead when it starts, and is corrected", .eachStore)
struct RedemptionClockStory {
    // Proves: R28
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
        try await world.runHousekeeping(clockError: clockError)
        let second = try await device.finalize(used, id: "second")
        #expect(second.status == 409)
        #expect(second.body["code"]?.stringValue == "token_reused")
        // Its redemption may have been deleted, too: both expire at the same time.
        #expect(try await device.finalize(later, id: "third").status == 409)
        world.clock.advance(seconds: 1)
        let new = try await world.completedLogin("bob@example.com")
        #expect(try await device.finalize(new, id: "fourth").status == 200)
    }

    // Proves: R28
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
        try await world.runHousekeeping(clockError: 300)
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

    // Proves: R28
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
            try await world.runHousekeeping(clockError: error)
            let replay = try await device.refresh(id: "once", nonce: nonce)
            #expect(replay.status == 400)
            #expect(replay.body["code"]?.stringValue == "invalid_dpop_proof")
        }
    }

    // Proves: R28
    @Test(
        "A proof is accepted once, even if the clock is far ahead for a moment at the start (RFC 9449 §11.1)",
        arguments: [600, 3600, 3650 * 86_400])
    func proofAtStart(clockError: Int) async throws {
        let world = try await ServiceWorld()
        var device = try await RawDevice(world)
        try device.take(try await device.refresh(id: "once"))
        try await world.runHousekeeping(clockError: clockError, rounds: 1)
        let replay = try await device.refresh(id: "once")
        #expect(replay.status == 400)
        #expect(replay.body["code"]?.stringValue == "invalid_dpop_proof")
    }

    // Proves: R29
    @Test("Reports of failed logins that a wrong clock deletes reject no login (R17)")
    func reports() async throws {
        let world = try await ServiceWorld()
        let stranger = try world.client()
        try await stranger.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "bob@example.com")))
        // The sixth attempt at one code is reported once, which is remembered for more than an hour.
        for _ in 1...6 { await #expect(throws: PreludeSessionError.self) { try await stranger.checkOTP("wrong") } }
        try await world.runHousekeeping(clockError: 3 * 3600)
        let device = RawDevice(signedOut: world)
        for minute in stride(from: 0, to: 70, by: 5) {
            let login = try await world.completedLogin("u\(minute)@example.com")
            #expect(try await device.finalize(login, id: "login \(minute)").status == 200)
            world.clock.advance(seconds: 300)
        }
    }
}
