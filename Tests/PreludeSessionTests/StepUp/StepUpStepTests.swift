import Foundation
import PreludeSession
import Testing

@Suite("The steps of a step-up")
struct StepUpStepTests {
    @Test("A code is requested with the challenge only, without proof and access token")
    func send() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        await fixture.transport.answer("/otp", .success())
        try await client.sendStepUpOTP(challenge)
        let sent = try #require(await fixture.transport.requests("/otp").first)
        #expect(sent.body == ["challenge_token": .string(TestToken.challenge("t0"))])
        #expect(sent.headers["dpop"] == nil)
        #expect(sent.headers["authorization"] == nil)
        #expect(sent.headers["x-refresh-token"] == nil)
    }

    /// A client that has learned a nonce, and a challenge.
    private func steppingUp(_ fixture: ClientFixture) async throws -> (PreludeSessionClient, StepUpChallenge) {
        let client = try fixture.client()
        await fixture.transport.answer(
            "/stepup/request",
            .errorResponse(400, "use_dpop_nonce", headers: ["dpop-nonce": "nonce-1"]))
        let challenge = try await fixture.challenge(of: client)
        #expect(await fixture.transport.requests("/stepup/request").last?.proof?["nonce"] == .string("nonce-1"))
        return (client, challenge)
    }

    private func expectScopedProof(_ sent: ScriptedTransport.Sent) {
        #expect(sent.proof?["jti"] == .string("t0"))
        #expect(sent.proof?["htm"] == .string("POST"))
        #expect(sent.proof?["htu"] == .string("http://localhost:8080" + sent.path))
        #expect(sent.proof?["nonce"] == nil)
        #expect(sent.proof?["ath"] == nil)
        #expect(sent.headers["authorization"] == nil)
    }

    @Test("A code is submitted with a proof of the challenge's id, without the known nonce")
    func submitProof() async throws {
        let fixture = try await ClientFixture()
        let (client, challenge) = try await steppingUp(fixture)
        await fixture.transport.answer(
            "/otp/check", ClientFixture.next(TestToken.challenge("t1", step: "verify_email")))
        _ = try await client.submitStepUpOTP(challenge, code: "123456")
        let sent = try #require(await fixture.transport.requests("/otp/check").first)
        expectScopedProof(sent)
        #expect(
            sent.body == ["code": .string("123456"), "challenge_token": .string(TestToken.challenge("t0"))])
    }

    @Test("A verification token is submitted with a proof of the challenge's id")
    func continueProof() async throws {
        let fixture = try await ClientFixture()
        let (client, challenge) = try await steppingUp(fixture)
        await fixture.transport.answer("/stepup/continue", ClientFixture.next(TestToken.challenge("t1")))
        _ = try await client.continueStepUp(challenge, verificationToken: "proof.of.step")
        let sent = try #require(await fixture.transport.requests("/stepup/continue").first)
        expectScopedProof(sent)
        #expect(
            sent.body == [
                "verification_token": .string("proof.of.step"),
                "challenge_token": .string(TestToken.challenge("t0")),
            ])
    }

    @Test("A challenge-scoped proof is not repeated with a nonce")
    func noNonceRetry() async throws {
        let fixture = try await ClientFixture()
        let (client, challenge) = try await steppingUp(fixture)
        await fixture.transport.answer(
            "/otp/check", .errorResponse(400, "use_dpop_nonce", headers: ["dpop-nonce": "nonce-2"]),
            .errorResponse(500, "internal")
        )
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "1") } == "unauthorized")
        #expect(await fixture.transport.count("/otp/check") == 1)
        #expect(await client.profile != nil)
    }

    @Test("The next step is a challenge of the same attempt and refreshes nothing")
    func nextStep() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        await fixture.transport.answer(
            "/otp/check", ClientFixture.next(TestToken.challenge("t1", step: "verify_email")))
        let next = try #require(try await client.submitStepUpOTP(challenge, code: "123456"))
        #expect(next.currentStep == "verify_email")
        #expect(next.challengeID == challenge.challengeID)
        #expect(next.status == challenge.status)
        #expect(await client.activeStepUp == next)
        #expect(await fixture.transport.count("/refresh") == 0)
    }

    @Test("A wrong code keeps the challenge")
    func wrongCode() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        await fixture.transport.answer(
            "/otp/check", .errorResponse(401, "bad_check_code"),
            ClientFixture.next(TestToken.challenge("t1", step: "completed")))
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "transfer:write"))
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: "000000") } == "invalidOTPCode")
        #expect(await client.activeStepUp == challenge)
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
    }

    @Test(
        "A challenge that the server has ended is no longer active",
        arguments: [
            ("invalid_challenge_token", "invalidChallengeToken"), ("expired_challenge_token", "expiredChallengeToken"),
            ("token_reused", "tokenReused"),
        ])
    func over(code: String, expected: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        await fixture.transport.answer("/otp/check", .errorResponse(401, code))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "1") } == expected)
        #expect(await client.activeStepUp == nil)
        #expect(await client.profile != nil)
    }

    @Test("Two step-ups of one client are independent")
    func twoFlows() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let one = try await fixture.challenge(of: client, TestToken.challenge("a0", attempt: "chl_a"))
        let other = try await fixture.challenge(of: client, TestToken.challenge("b0", attempt: "chl_b"))
        #expect(await client.activeStepUp == other)
        await fixture.transport.answer(
            "/otp/check", ClientFixture.next(TestToken.challenge("a1", step: "completed", attempt: "chl_a")),
            ClientFixture.next(TestToken.challenge("b1", step: "completed", attempt: "chl_b")))
        await fixture.transport.answer("/refresh", fixture.refreshed(1), fixture.refreshed(2))
        #expect(try await client.submitStepUpOTP(one, code: "111111") == nil)
        #expect(await client.activeStepUp == other)
        #expect(try await client.submitStepUpOTP(other, code: "222222") == nil)
        #expect(
            await fixture.transport.requests("/otp/check").map { $0.proof?["jti"] } == [.string("a0"), .string("b0")])
        #expect(await client.activeStepUp == nil)
    }

    @Test("A step's response that arrives after a logout is dropped and fetches no scope")
    func lateAnswer() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        let gate = Gate()
        await fixture.transport.answer("/revoke", .success())
        await fixture.transport.answer(
            "/otp/check", .held(gate, ClientFixture.next(TestToken.challenge("t1", step: "completed"))))
        let submit = Task { try await client.submitStepUpOTP(challenge, code: "1") }
        await fixture.transport.arrival(of: "/otp/check")
        try await client.logoutAndRevoke()
        await gate.open()
        #expect(try await failure { _ = try await submit.value } == "unauthorized")
        #expect(await fixture.transport.count("/refresh") == 0)
        #expect(try await fixture.store.read(ClientFixture.name + ".stepup") == nil)
    }
}

@Suite("Challenges that cannot continue are rejected before any request")
struct UnusableChallengeTests {
    /// The error of all three calls. It fails the test if a request was sent.
    private func expectRefused(
        _ challenge: StepUpChallenge, by client: PreludeSessionClient, on fixture: ClientFixture, as expected: String
    ) async throws {
        let before = await fixture.transport.sent.count
        #expect(try await failure { try await client.sendStepUpOTP(challenge) } == expected)
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "1") } == expected)
        #expect(
            try await failure { _ = try await client.continueStepUp(challenge, verificationToken: "v") } == expected)
        #expect(await fixture.transport.sent.count == before)
    }

    @Test("A blocked challenge is rejected")
    func blocked() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer(
            "/stepup/request", ClientFixture.decision(TestToken.challenge("t0"), status: "block"))
        let challenge = try await client.requestStepUp(scope: "a")
        try await expectRefused(challenge, by: client, on: fixture, as: "invalidChallengeToken")
    }

    @Test("An expired challenge is rejected")
    func expired() async throws {
        let fixture = try await ClientFixture(lifetime: 3600)
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        fixture.clock.advance(600)
        try await expectRefused(challenge, by: client, on: fixture, as: "expiredChallengeToken")
    }

    @Test("A challenge that is valid only by the device's wrong clock is rejected")
    func expiredByServerTime() async throws {
        let fixture = try await ClientFixture(lifetime: 86_400)
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        // `TestClock.start` is 2025-06-15 15:06:40.
        await fixture.transport.answer("/otp", .success(headers: ["date": "Sun, 15 Jun 2025 16:06:40 GMT"]))
        try await client.sendStepUpOTP(challenge)
        try await expectRefused(challenge, by: client, on: fixture, as: "expiredChallengeToken")
    }

    @Test("A challenge of another session is rejected")
    func foreignSession() async throws {
        let fixture = try await ClientFixture()
        let challenge = try await fixture.challenge(of: fixture.client())
        try await fixture.signIn(session: "ses_2")
        try await expectRefused(challenge, by: fixture.client(), on: fixture, as: "invalidChallengeToken")
    }

    @Test("A challenge of another endpoint is rejected")
    func foreignEndpoint() async throws {
        let fixture = try await ClientFixture()
        let challenge = try await fixture.challenge(of: fixture.client())
        let session = try #require(await fixture.store.read(ClientFixture.name + ".session"))
        try await fixture.store.write(session, to: "127.0.0.1:8080.session")
        let other = try fixture.client(endpoint: .custom("http://127.0.0.1:8080"))
        #expect(await other.sessionID == "ses_1")
        try await expectRefused(challenge, by: other, on: fixture, as: "invalidChallengeToken")
    }

    @Test("A challenge without a signed-in user is rejected")
    func signedOut() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        try await expectRefused(challenge, by: client, on: fixture, as: "unauthorized")
    }

    @Test("A blank code or verification token is rejected", arguments: ["", "  "])
    func blank(text: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        #expect(
            try await failure { _ = try await client.submitStepUpOTP(challenge, code: text) } == "invalidConfiguration")
        #expect(
            try await failure { _ = try await client.continueStepUp(challenge, verificationToken: text) }
                == "invalidConfiguration")
        #expect(await fixture.transport.sent.count == 1)
    }
}
