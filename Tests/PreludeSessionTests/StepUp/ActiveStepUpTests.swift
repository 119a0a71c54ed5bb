import Foundation
import Testing

@testable import PreludeSession

@Suite("The active step-up")
struct ActiveStepUpTests {
    private let record = ClientFixture.name + ".stepup"

    @Test("The active step-up survives a relaunch and can continue")
    func relaunch() async throws {
        let fixture = try await ClientFixture()
        let challenge = try await fixture.challenge(of: fixture.client(), status: "continue")
        let launched = try fixture.client()
        #expect(await launched.activeStepUp == challenge)
        await fixture.transport.answer("/otp", .success())
        try await launched.sendStepUpOTP(challenge)
    }

    @Test("The record of step-ups has a version, and another version is neither a challenge nor an error")
    func version() async throws {
        let fixture = try await ClientFixture()
        _ = try await fixture.challenge(of: fixture.client())
        let data = try #require(await fixture.store.read(record))
        var members = try JSONDecoder().decode([String: PreludeJSONValue].self, from: data)
        #expect(members["version"] == .int(1))
        members["version"] = .int(2)
        try await fixture.store.write(try JSONEncoder().encode(members), to: record)
        let launched = try fixture.client()
        #expect(await launched.activeStepUp == nil)
        #expect(try await launched.refresh().profile.sessionID == "ses_1")
    }

    @Test("An expired step-up and its token are deleted")
    func expiry() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        fixture.clock.advance(599)
        #expect(await client.activeStepUp == challenge)
        fixture.clock.advance(1)
        #expect(await client.activeStepUp == nil)
        #expect(try await fixture.store.read(record) == nil)
    }

    @Test("A logout deletes the active step-up")
    func logout() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = try await fixture.challenge(of: client)
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        #expect(await client.activeStepUp == nil)
        #expect(try await fixture.store.read(record) == nil)
    }

    @Test("Another login deletes the active step-up, also by the same client")
    func otherLogin() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = try await fixture.challenge(of: client)
        await fixture.transport.answer("/login/email/password", ClientFixture.next("login"))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1, session: "ses_2"))
        _ = try await client.loginWithPassword(LoginWithPasswordOptions(emailAddress: "a@example.com", password: "p"))
        #expect(await client.activeStepUp == nil)
        #expect(try await fixture.store.read(record) == nil)
    }

    @Test("A step-up request that another login overtook does not become active")
    func overtaken() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer(
            "/stepup/request", .held(gate, ClientFixture.decision(TestToken.challenge("t0"))))
        await fixture.transport.answer("/login/email/password", ClientFixture.next("login"))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1, session: "ses_2"))
        let request = Task { try await client.requestStepUp(scope: "transfer:write") }
        await fixture.transport.arrival(of: "/stepup/request")
        _ = try await client.loginWithPassword(LoginWithPasswordOptions(emailAddress: "a@example.com", password: "p"))
        await gate.open()
        #expect(try await failure { _ = try await request.value } == "unauthorized")
        #expect(await client.activeStepUp == nil)
        #expect(await client.sessionID == "ses_2")
    }

    @Test("A step-up of a session that is no longer stored is not restored")
    func sessionOfAnother() async throws {
        let fixture = try await ClientFixture()
        _ = try await fixture.challenge(of: fixture.client())
        try await fixture.signIn(session: "ses_2")
        #expect(await (try fixture.client()).activeStepUp == nil)
    }

    @Test("An unreadable store hides the active step-up until it can be read again")
    func lockedStore() async throws {
        let fixture = try await ClientFixture()
        let challenge = try await fixture.challenge(of: fixture.client())
        let launched = try fixture.client()
        await fixture.store.refuse(.reads)
        #expect(await launched.activeStepUp == nil)
        await fixture.store.refuse(.nothing)
        #expect(await launched.activeStepUp == challenge)
    }

    @Test("A store that cannot be written does not stop a step-up")
    func fullStore() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = try await fixture.challenge(of: client, TestToken.challenge("a0", attempt: "chl_a"))
        await fixture.store.refuse(.writes)
        let challenge = try await fixture.challenge(of: client)
        #expect(await client.activeStepUp == challenge)
    }

    @Test("Another client of the same store keeps its own step-ups")
    func twoClients() async throws {
        let fixture = try await ClientFixture()
        let one = try fixture.client()
        let other = try fixture.client()
        _ = try await other.refresh()
        let first = try await fixture.challenge(of: one, TestToken.challenge("a0", attempt: "chl_a"))
        let second = try await fixture.challenge(of: other, TestToken.challenge("b0", attempt: "chl_b"))
        #expect(await one.activeStepUp == first)
        #expect(await other.activeStepUp == second)
        await fixture.transport.answer(
            "/otp/check", ClientFixture.next(TestToken.challenge("b1", step: "completed", attempt: "chl_b")))
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await other.submitStepUpOTP(second, code: "1") == nil)
        #expect(await (try fixture.client()).activeStepUp == first)
    }

    @Test("The newest eight step-ups are kept")
    func bounded() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        for number in 0..<12 {
            _ = try await fixture.challenge(of: client, TestToken.challenge("t\(number)", attempt: "chl_\(number)"))
        }
        let data = try #require(await fixture.store.read(record))
        let kept = StepUpRecord.challenges(in: data, endpoint: ClientFixture.name).map(\.challengeID)
        #expect(kept == (4..<12).map { "chl_\($0)" })
    }
}
