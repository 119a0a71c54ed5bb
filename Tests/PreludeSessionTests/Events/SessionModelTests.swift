import Foundation
import Testing

@testable import PreludeSession

@MainActor @Suite("The session model of a user interface", .timeLimit(.minutes(5)))
struct SessionModelTests {
    private static let password = LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "secret words")

    /// Waits for a state until the test's time limit.
    private func wait(for model: SessionModel, _ condition: (SessionState) -> Bool) async {
        while !condition(model.state) { await Task.yield() }
    }

    private func isSignedIn(_ state: SessionState) -> Bool { if case .signedIn = state { true } else { false } }
    private func isFailed(_ state: SessionState) -> Bool { if case .failed = state { true } else { false } }

    private func logIn(_ fixture: ClientFixture, _ client: PreludeSessionClient) async throws {
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await client.loginWithPassword(Self.password)
    }

    @Test("The model shows a user of an earlier launch without a network")
    func launch() async throws {
        let fixture = try await ClientFixture()
        let model = SessionModel(client: try fixture.client())
        await wait(for: model, isSignedIn)
        #expect(await fixture.transport.sent.isEmpty)
    }

    @Test("The model shows no user without a reason at launch")
    func nobody() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let model = SessionModel(client: try fixture.client())
        await wait(for: model) { $0 == .signedOut(nil) }
    }

    // Proves: E1
    @Test("The model shows a locked device, and recovers after the unlock")
    func locked() async throws {
        let fixture = try await ClientFixture()
        await fixture.store.refuse(.locked)
        let model = SessionModel(client: try fixture.client())
        await wait(for: model) { $0 == .locked }
        await model.reload()
        #expect(model.state == .locked)
        await fixture.store.refuse(.nothing)
        await model.reload()
        await wait(for: model, isSignedIn)
    }

    // Proves: E1
    @Test("The model shows a damaged record as a failure, and a login replaces it")
    func damaged() async throws {
        let fixture = try await ClientFixture()
        try await fixture.store.write(Data("?".utf8), to: ClientFixture.name + ".session")
        let client = try fixture.client()
        let model = SessionModel(client: client)
        await wait(for: model, isFailed)
        guard case .failed(.storageUnavailable) = model.state else { return #expect(Bool(false), "\(model.state)") }
        try await logIn(fixture, client)
        await wait(for: model, isSignedIn)
    }

    @Test("The model shows a failing store as a failure, and recovers when it works again")
    func failing() async throws {
        let fixture = try await ClientFixture()
        await fixture.store.refuse(.reads)
        let model = SessionModel(client: try fixture.client())
        await wait(for: model, isFailed)
        await fixture.store.refuse(.nothing)
        await model.reload()
        await wait(for: model, isSignedIn)
    }

    @Test("A store that fails later does not change what is known")
    func failsLater() async throws {
        let fixture = try await ClientFixture()
        let model = SessionModel(client: try fixture.client())
        await wait(for: model, isSignedIn)
        for refusal in [FaultyStore.Refusal.reads, .locked] {
            await fixture.store.refuse(refusal)
            await model.reload()
            #expect(isSignedIn(model.state))
        }
    }

    @Test("The model shows a logout with its reason, and the login after it")
    func logoutAndLogin() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let model = SessionModel(client: client)
        await wait(for: model, isSignedIn)
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        await wait(for: model) { $0 == .signedOut(.logout) }
        try await logIn(fixture, client)
        await wait(for: model, isSignedIn)
    }

    @Test("A released model ends its stream")
    func gone() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        var model: SessionModel? = SessionModel(client: client)
        while await client.engine.stateStreams.count == 0 { await Task.yield() }
        #expect(model != nil)
        model = nil
        while await client.engine.stateStreams.count > 0 { await Task.yield() }
    }
}
