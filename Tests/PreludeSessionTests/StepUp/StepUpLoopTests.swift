import Foundation
import PreludeSession
import Testing

@Suite("One call does the steps of a step-up")
struct StepUpLoopTests {
    private func stepUp(_ client: PreludeSessionClient, codes: [StepUpAnswer] = [.code("123456")]) async throws {
        var rest = codes
        try await client.stepUp(scope: "transfer:write") { _, _ in
            rest.count > 1 ? rest.removeFirst() : rest[0]
        } ownStep: { challenge in
            "proof of \(challenge.currentStep ?? "")"
        }
    }

    @Test("Codes and steps of the app's own are completed in any order, and the token has the scope")
    func everyKind() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer(
            "/stepup/request", ClientFixture.decision(TestToken.challenge("t0", step: "check_id")))
        await fixture.transport.answer(
            "/stepup/continue", ClientFixture.next(TestToken.challenge("t1", step: "verify_sms")),
            ClientFixture.next(TestToken.challenge("t4", step: "completed")))
        await fixture.transport.answer("/otp", .success(), .success())
        await fixture.transport.answer(
            "/otp/check", ClientFixture.next(TestToken.challenge("t2", step: "verify_email")),
            ClientFixture.next(TestToken.challenge("t3", step: "verify_face")))
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "transfer:write"))
        try await stepUp(client)
        #expect(
            await fixture.transport.sent.map { $0.path.dropFirst("/v1/session".count) } == [
                "/stepup/request", "/stepup/continue", "/otp", "/otp/check", "/otp", "/otp/check", "/stepup/continue",
                "/refresh",
            ])
        #expect(
            await fixture.transport.requests("/stepup/continue").map { $0.text("verification_token") }
                == ["proof of check_id", "proof of verify_face"])
        #expect(try await client.refresh().profile.extras["scope"] == .string("transfer:write"))
    }

    @Test("A scope that is granted at once has no step")
    func granted() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "transfer:write"))
        await fixture.transport.answer(
            "/stepup/request",
            ClientFixture.decision(TestToken.challenge("t0", step: "completed"), status: "continue"))
        try await stepUp(client)
        #expect(await fixture.transport.sent.count == 2)
    }

    @Test("A denied scope is an error")
    func blocked() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/stepup/request", ClientFixture.decision(nil, status: "block"))
        #expect(try await failure { try await stepUp(client) } == "forbidden")
    }

    @Test("A step of the app's own is an error without its proof")
    func noProof() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer(
            "/stepup/request", ClientFixture.decision(TestToken.challenge("t0", step: "check_id")))
        let thrown = try await failure {
            try await client.stepUp(scope: "transfer:write") { _, _ in .code("123456") }
        }
        #expect(thrown == "invalidConfiguration")
    }

    @Test("A closure that returns the same wrong code for ever gets the problem after 20 answers")
    func endless() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/stepup/request", ClientFixture.decision(TestToken.challenge("t0")))
        await fixture.transport.answer("/otp", .success())
        for _ in 0..<20 { await fixture.transport.answer("/otp/check", .errorResponse(401, "bad_check_code")) }
        #expect(try await failure { try await stepUp(client) } == "invalidOTPCode")
        #expect(await fixture.transport.count("/otp/check") == 20)
    }
}
