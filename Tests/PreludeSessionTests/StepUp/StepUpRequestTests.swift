import Foundation
import PreludeSession
import Testing

@Suite("Requesting a scope")
struct StepUpRequestTests {
    private struct Signals: PreludeSignalsDispatcher {
        func dispatch() async throws -> String? { "dispatch-1" }
    }

    @Test("A step-up request carries the access token, a proof with its hash, and the app's metadata")
    func request() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(signals: Signals())
        await fixture.transport.answer("/stepup/request", ClientFixture.decision(TestToken.challenge("t0")))
        _ = try await client.requestStepUp(scope: "transfer:write", metadata: ["amount": "7"])
        let sent = try #require(await fixture.transport.requests("/stepup/request").first)
        #expect(sent.headers["authorization"] == "Bearer " + (await client.accessToken ?? ""))
        #expect(sent.proof?["ath"]?.stringValue?.count == 43)
        #expect(
            sent.body == [
                "scope": .string("transfer:write"), "metadata": .object(["amount": .string("7")]),
                "dispatch_id": .string("dispatch-1"),
            ])
    }

    @Test("A challenge has the claims of its token")
    func values() async throws {
        let fixture = try await ClientFixture()
        let challenge = try await fixture.challenge(of: fixture.client())
        #expect(challenge.status == .underReview)
        #expect(challenge.challengeID == "chl_1")
        #expect(challenge.currentStep == "verify_sms")
        #expect(challenge.requestedScope == "transfer:write")
        #expect(await fixture.transport.requests("/stepup/request")[0].body == ["scope": .string("transfer:write")])
    }

    @Test("A challenge token without session and scope belongs to this session and the requested scope")
    func sparseToken() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let token = TestToken.jwt([
            "jti": .string("t0"), "exp": .double(TestClock.start + 60), "challenge_id": .string("chl_1"),
            "current_step": .string("verify_sms"),
        ])
        let challenge = try await fixture.challenge(of: client, token)
        #expect(challenge.requestedScope == "transfer:write")
        await fixture.transport.answer("/otp", .success())
        try await client.sendStepUpOTP(challenge)
    }

    @Test("A denied scope has no step and no open challenge")
    func blocked() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/stepup/request", ClientFixture.decision(nil, status: "block"))
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        #expect(challenge.status == .blocked)
        #expect(challenge.currentStep == nil)
        #expect(challenge.requestedScope == "transfer:write")
        #expect(await client.activeStepUp == nil)
    }

    @Test(
        "A scope that is granted at once is fetched at once, whatever the status is", arguments: ["continue", "review"])
    func immediateGrant(status: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let token = TestToken.challenge("t0", step: "completed")
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "transfer:write"))
        let challenge = try await fixture.challenge(of: client, token, status: status)
        #expect(challenge.currentStep == "completed")
        #expect(challenge.status.rawValue == status)
        #expect(await fixture.transport.requests("/refresh").map { $0.text("step_up_token") } == [token])
        #expect(await client.activeStepUp == nil)
        #expect(try await client.submitStepUpOTP(challenge, code: "123456") == nil)
        #expect(await fixture.transport.sent.count == 2)
    }

    @Test("A rejected access token is refreshed once and the step-up request repeated")
    func refusedAccessToken() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/stepup/request", .errorResponse(401, "unauthorized"))
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        _ = try await fixture.challenge(of: client)
        #expect(await fixture.transport.count("/stepup/request") == 2)
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test("A response without a valid challenge token throws", arguments: [nil, "x", "a.b.c"])
    func unreadable(token: String?) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/stepup/request", ClientFixture.decision(token))
        #expect(try await failure { _ = try await client.requestStepUp(scope: "a") } == "generic")
    }

    @Test("A blank scope is rejected before any request", arguments: ["", " \n"])
    func blankScope(scope: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        #expect(
            try await failure { _ = try await client.requestStepUp(scope: scope) } == "invalidConfiguration")
        #expect(await fixture.transport.sent.isEmpty)
    }

    @Test("A scope that the app does not offer is forbidden")
    func forbidden() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/stepup/request", .errorResponse(403, "scope_not_allowed"))
        #expect(try await failure { _ = try await client.requestStepUp(scope: "a") } == "forbidden")
    }

    @Test("A response that arrives after a logout is dropped")
    func lateAnswer() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer("/revoke", .success())
        await fixture.transport.answer(
            "/stepup/request", .held(gate, ClientFixture.decision(TestToken.challenge("t0"))))
        let request = Task { try await client.requestStepUp(scope: "transfer:write") }
        await fixture.transport.arrival(of: "/stepup/request")
        try await client.logoutAndRevoke()
        await gate.open()
        #expect(try await failure { _ = try await request.value } == "unauthorized")
        #expect(try await fixture.store.read(ClientFixture.name + ".stepup") == nil)
    }
}
