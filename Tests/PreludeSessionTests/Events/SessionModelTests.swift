import Foundation
import Testing

@testable import PreludeSession

@MainActor @Suite("The session model of a user interface")
struct SessionModelTests {
    /// Waits for a state until the test's time limit.
    private func wait(for model: SessionModel, _ condition: (SessionModel.State) -> Bool) async {
        while !condition(model.state) { await Task.yield() }
    }

    private func isSignedIn(_ state: SessionModel.State) -> Bool { if case .signedIn = state { true } else { false } }

    @Test("The model shows a user of an earlier launch without a network", .timeLimit(.minutes(5)))
    func launch() async throws {
        let fixture = try await ClientFixture()
        let model = SessionModel(client: try fixture.client())
        await wait(for: model, isSignedIn)
        #expect(await fixture.transport.sent.isEmpty)
    }

    @Test("The model shows no user without a reason at launch", .timeLimit(.minutes(5)))
    func nobody() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let model = SessionModel(client: try fixture.client())
        await wait(for: model) { $0 == .signedOut(nil) }
    }

    @Test("The model shows a locked device as unknown, and recovers after the unlock", .timeLimit(.minutes(5)))
    func locked() async throws {
        let fixture = try await ClientFixture()
        await fixture.store.refuse(.reads)
        let model = SessionModel(client: try fixture.client())
        await model.look()
        #expect(model.state == .unknown)
        await fixture.store.refuse(.nothing)
        await model.look()
        #expect(isSignedIn(model.state))
    }

    @Test("The model shows a logout with its reason, and the login after it", .timeLimit(.minutes(5)))
    func logoutAndLogin() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let model = SessionModel(client: client)
        await wait(for: model, isSignedIn)
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        await wait(for: model) { $0 == .signedOut(.logout) }
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await client.loginWithPassword(LoginWithPasswordOptions(emailAddress: "a@example.com", password: "x"))
        await wait(for: model, isSignedIn)
    }

    @Test("A released model ends its event stream", .timeLimit(.minutes(5)))
    func gone() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        var model: SessionModel? = SessionModel(client: client)
        while await client.engine.streams.count == 0 { await Task.yield() }
        #expect(model != nil)
        model = nil
        while await client.engine.streams.count > 0 { await Task.yield() }
    }
}
