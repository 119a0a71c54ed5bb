import Foundation
import Testing

@testable import PreludeSession

@Suite("A step with a passkey", .timeLimit(.minutes(5)))
struct PasskeyStepUpTests {
    private static let path = "/stepup/continue"
    private static let completed = TestToken.challenge("t1", step: "completed")

    @Test("The answer is sent with the access token and a proof of the challenge's id, and the scope is fetched")
    func completes() async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator()
        let client = try fixture.client(authenticator: authenticator)
        let challenge = try await fixture.passkeyChallenge(of: client)
        let token = await client.accessToken ?? ""
        #expect(challenge.expectsPasskey && !challenge.expectsCode)
        await fixture.transport.answer(Self.path, ClientFixture.next(Self.completed))
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "transfer:write"))
        #expect(try await client.continueStepUpWithPasskey(challenge) == nil)
        #expect(
            await authenticator.signIns == [
                PreludePasskeySignInRequest(relyingPartyID: "example.com", challenge: Data("challenge".utf8))
            ])
        let sent = try #require(await fixture.transport.requests(Self.path).first)
        #expect(sent.headers["authorization"] == "Bearer " + token)
        #expect(sent.proof?["jti"] == .string("t0"))
        #expect(sent.proof?["nonce"] == nil && sent.proof?["ath"] != nil)
        #expect(
            sent.body == [
                "challenge_token": .string(TestToken.challenge("t0", step: "verify_passkey")),
                "passkey_assertion": .object(ClientFixture.assertion),
            ])
        #expect(await fixture.refreshedChallenges() == [Self.completed])
    }

    @Test("A rejected access token is refreshed once and the answer sent again, and the authenticator is asked once")
    func rejectedToken() async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator()
        let client = try fixture.client(authenticator: authenticator)
        let challenge = try await fixture.passkeyChallenge(of: client)
        await fixture.transport.answer(
            Self.path, .errorResponse(401, "unauthorized"), ClientFixture.next(Self.completed))
        await fixture.transport.answer("/refresh", fixture.refreshed(1), fixture.refreshed(2))
        #expect(try await client.continueStepUpWithPasskey(challenge) == nil)
        let sent = await fixture.transport.requests(Self.path)
        #expect(sent.map { $0.proof?["jti"] } == [.string("t0"), .string("t0")])
        #expect(Set(sent.map(\.body)).count == 1 && Set(sent.map { $0.headers["authorization"] }).count == 2)
        #expect(await authenticator.signIns.count == 1)
        #expect(await fixture.refreshedChallenges() == [nil, Self.completed])
    }

    @Test("An answer that is rejected twice keeps the challenge and the session")
    func rejectedAnswer() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        let challenge = try await fixture.passkeyChallenge(of: client)
        await fixture.transport.answer(
            Self.path, .errorResponse(401, "unauthorized"), .errorResponse(401, "unauthorized"))
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await failure { _ = try await client.continueStepUpWithPasskey(challenge) } == "unauthorized")
        #expect(await client.activeStepUp == challenge)
        #expect(await client.profile != nil)
    }

    @Test(
        "A challenge that the server has ended refreshes nothing and is no longer active",
        arguments: [
            ("invalid_challenge_token", "invalidChallengeToken"), ("expired_challenge_token", "expiredChallengeToken"),
        ])
    func ended(code: String, expected: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        let challenge = try await fixture.passkeyChallenge(of: client)
        await fixture.transport.answer(Self.path, .errorResponse(401, code))
        #expect(try await failure { _ = try await client.continueStepUpWithPasskey(challenge) } == expected)
        #expect(await client.activeStepUp == nil)
        #expect(await fixture.transport.count("/refresh") == 0)
    }

    @Test("A user who cancels keeps the challenge, and nothing is sent")
    func cancel() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator { throw CancellationError() })
        let challenge = try await fixture.passkeyChallenge(of: client)
        await #expect(throws: CancellationError.self) { try await client.continueStepUpWithPasskey(challenge) }
        #expect(await client.activeStepUp == challenge)
        #expect(await fixture.transport.count(Self.path) == 0)
    }

    @Test("If only the last refresh fails, the same call continues from there without the authenticator")
    func repeated() async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator()
        let client = try fixture.client(authenticator: authenticator)
        let challenge = try await fixture.passkeyChallenge(of: client)
        await fixture.transport.answer(Self.path, ClientFixture.next(Self.completed))
        await fixture.transport.answer("/refresh", .timeout, fixture.refreshed(1, scope: "transfer:write"))
        #expect(try await failure { _ = try await client.continueStepUpWithPasskey(challenge) } == "timeout")
        #expect(try await client.continueStepUpWithPasskey(challenge) == nil)
        #expect(await authenticator.signIns.count == 1)
        #expect(await fixture.transport.count(Self.path) == 1)
    }

    @Test("A challenge with its options survives a relaunch")
    func relaunch() async throws {
        let fixture = try await ClientFixture()
        let challenge = try await fixture.passkeyChallenge(of: fixture.client())
        let authenticator = PlayedAuthenticator()
        let launched = try fixture.client(authenticator: authenticator)
        let restored = try #require(await launched.activeStepUp)
        #expect(restored == challenge)
        await fixture.transport.answer(Self.path, ClientFixture.next(Self.completed))
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await launched.continueStepUpWithPasskey(restored) == nil)
        #expect(await authenticator.signIns.map(\.challenge) == [Data("challenge".utf8)])
    }

    @Test("The options come with the challenge of the step before", arguments: ["/otp/check", "/stepup/continue"])
    func secondStep(path: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        let challenge = try await fixture.challenge(of: client)
        let token = TestToken.challenge("t1", step: "verify_passkey")
        await fixture.transport.answer(
            path,
            .success(
                """
                {"challenge_token":"\(token)","public_key_credential_request_options":\(ClientFixture.passkeyOptions)}
                """))
        let next =
            path == "/otp/check"
            ? try await client.submitStepUpOTP(challenge, code: "123456")
            : try await client.continueStepUp(challenge, verificationToken: "v")
        let second = try #require(next)
        #expect(second.expectsPasskey)
        await fixture.transport.answer(
            "/stepup/continue", ClientFixture.next(TestToken.challenge("t2", step: "verify_email")))
        #expect(try await client.continueStepUpWithPasskey(second)?.currentStep == "verify_email")
        #expect(await fixture.transport.requests("/stepup/continue").last?.proof?["jti"] == .string("t1"))
    }

    @Test(
        "A challenge without valid options cannot be continued with a passkey, and stays open",
        arguments: [nil, #"{"challenge":"Y2hhbGxlbmdl","rpId":""}"#, #"{"challenge":"?","rpId":"example.com"}"#])
    func noOptions(options: String?) async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator()
        let client = try fixture.client(authenticator: authenticator)
        let challenge = try await fixture.passkeyChallenge(of: client, options: options)
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.continueStepUpWithPasskey(challenge)
        }
        #expect(error?.code == .passkeyStepUnavailable)
        #expect(await authenticator.signIns.isEmpty)
        #expect(await client.activeStepUp == challenge)
    }

    @Test("An expired challenge does not ask the authenticator")
    func expired() async throws {
        let fixture = try await ClientFixture(lifetime: 3600)
        let authenticator = PlayedAuthenticator()
        let client = try fixture.client(authenticator: authenticator)
        let challenge = try await fixture.passkeyChallenge(of: client)
        fixture.clock.advance(600)
        #expect(
            try await failure { _ = try await client.continueStepUpWithPasskey(challenge) } == "expiredChallengeToken")
        #expect(await authenticator.signIns.isEmpty)
    }

    @Test("A logout while the user is asked drops the answer")
    func logout() async throws {
        let fixture = try await ClientFixture()
        let (asked, answered) = (Gate(), Gate())
        let client = try fixture.client(
            authenticator: PlayedAuthenticator {
                await asked.open()
                await answered.wait()
            })
        let challenge = try await fixture.passkeyChallenge(of: client)
        await fixture.transport.answer("/revoke", .success())
        let step = Task { try await client.continueStepUpWithPasskey(challenge) }
        await asked.wait()
        try await client.logoutAndRevoke()
        await answered.open()
        #expect(try await failure { _ = try await step.value } == "unauthorized")
        #expect(await fixture.transport.count(Self.path) == 0)
    }

    @Test("One call does the steps with codes and passkeys")
    func wholeStepUp() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        let token = TestToken.challenge("t0", step: "verify_passkey")
        await fixture.transport.answer(
            "/stepup/request",
            .success(
                """
                {"status":"review","challenge_token":"\(token)",\
                "public_key_credential_request_options":\(ClientFixture.passkeyOptions)}
                """))
        await fixture.transport.answer(Self.path, ClientFixture.next(TestToken.challenge("t1")))
        await fixture.transport.answer("/otp", .success())
        await fixture.transport.answer(
            "/otp/check", ClientFixture.next(TestToken.challenge("t2", step: "completed")))
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "transfer:write"))
        try await client.stepUp(scope: "transfer:write") { _, _ in .code("123456") }
        #expect(
            await fixture.sentPaths() == ["/stepup/request", Self.path, "/otp", "/otp/check", "/refresh"])
    }
}
