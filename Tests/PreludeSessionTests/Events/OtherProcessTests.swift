import Foundation
import Testing

@testable import PreludeSession

@Suite("Changes of other processes", .timeLimit(.minutes(5)))
struct OtherProcessTests {
    private static let password = LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "secret words")

    /// An app and its extension, which share a store and a signal.
    private func processes(
        signedIn: Bool = true
    ) async throws -> (ClientFixture, PlayedSignal, PreludeSessionClient, PreludeSessionClient) {
        let (fixture, signal) = (try await ClientFixture(signedIn: signedIn), PlayedSignal())
        let store = SharedStore(store: fixture.store, signal: signal)
        await fixture.transport.answer("/revoke", .success(), .success())
        return (fixture, signal, try fixture.client(store: store), try fixture.client(store: store))
    }

    private func profile(_ state: SessionState?) -> PreludeProfile? {
        if case .signedIn(let profile)? = state { profile } else { nil }
    }

    private func isRefreshed(_ event: SessionEvent?) -> Bool { if case .refreshed? = event { true } else { false } }

    private func logIn(_ fixture: ClientFixture, _ client: PreludeSessionClient, session: String) async throws {
        await fixture.transport.answer("/login/email/password", ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1, session: session))
        _ = try await client.loginWithPassword(Self.password)
    }

    // Proves: E6
    @Test(
        "A sign-out of another process ends the state with its reason",
        arguments: [PreludeSignOutReason.anotherClient, .ended])
    func signedOut(reason: PreludeSignOutReason) async throws {
        let (fixture, _, app, widget) = try await processes()
        var (states, events) = (await app.states.makeAsyncIterator(), await app.events.makeAsyncIterator())
        #expect(profile(await states.next())?.sessionID == "ses_1")
        if reason == .ended {
            await fixture.transport.answer("/refresh", .errorResponse(401, "unauthorized"))
            try await widget.invalidateSession()
            _ = try await failure { try await widget.refresh() }
        } else {
            try await widget.logoutAndRevoke()
        }
        #expect(await states.next() == .signedOut(reason))
        #expect(await events.next() == .signedOut(reason))
    }

    // Proves: E6
    @Test("A login and a refresh of another process are a new state, and one event each")
    func signedIn() async throws {
        let (fixture, _, app, widget) = try await processes(signedIn: false)
        var (states, events) = (await app.states.makeAsyncIterator(), await app.events.makeAsyncIterator())
        #expect(await states.next() == .signedOut(nil))
        try await logIn(fixture, widget, session: "ses_2")
        let user = try #require(profile(await states.next()))
        #expect(user.sessionID == "ses_2")
        await fixture.transport.answer("/refresh", fixture.refreshed(2, scope: "new", session: "ses_2"))
        try await widget.invalidateSession()
        try await widget.refresh()
        #expect(profile(await states.next())?.extras["scope"] == .string("new"))
        try await widget.logoutAndRevoke()
        #expect(await states.next() == .signedOut(.anotherClient))
        #expect(await events.next() == .signedIn(user))
        #expect(isRefreshed(await events.next()))
        #expect(await events.next() == .signedOut(.anotherClient))
    }

    @Test("A login of another process during a refresh stays, and the response of the refresh is dropped")
    func refreshOvertaken() async throws {
        let (fixture, _, app, widget) = try await processes()
        let gate = Gate()
        await fixture.transport.answer("/refresh", .held(gate, fixture.refreshed(2)))
        try await app.invalidateSession()
        let refresh = Task { try await app.refresh() }
        await fixture.transport.arrival(of: "/refresh")
        try await logIn(fixture, widget, session: "ses_2")
        await gate.open()
        #expect(try await refresh.value.profile.sessionID == "ses_2")
        var states = await (try fixture.client()).states.makeAsyncIterator()
        #expect(profile(await states.next())?.sessionID == "ses_2")
    }

    // Proves: E6
    @Test("The signal of the own process causes no second event")
    func ownSignal() async throws {
        let (fixture, signal, app, _) = try await processes()
        var events = await app.events.makeAsyncIterator()
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        try await app.invalidateSession()
        try await app.refresh()
        #expect(signal.posts == 1)
        for _ in 0..<200 { await Task.yield() }
        try await app.logoutAndRevoke()
        for _ in 0..<200 { await Task.yield() }
        try await logIn(fixture, app, session: "ses_2")
        #expect(isRefreshed(await events.next()))
        #expect(await events.next() == .signedOut(.logout))
        guard case .signedIn? = await events.next() else { return #expect(Bool(false), "a second sign-out") }
    }

    @Test("A reload that finds the session of this client before it is published causes no second event")
    func unpublished() async throws {
        let (fixture, _, app, _) = try await processes()
        _ = await app.profile
        var events = await app.events.makeAsyncIterator()
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        try await app.invalidateSession()
        var hold = await fixture.store.hold(.written, ".session")
        async let user = app.refresh()
        await hold.arrived.wait()
        await app.reload()
        await hold.released.open()
        _ = try await user
        hold = await fixture.store.hold(.written, ".session")
        async let login: Void = logIn(fixture, app, session: "ses_2")
        await hold.arrived.wait()
        await app.reload()
        await hold.released.open()
        try await login
        try await app.logoutAndRevoke()
        #expect(isRefreshed(await events.next()))
        guard case .signedIn? = await events.next() else { return #expect(Bool(false), "a second refresh") }
        #expect(await events.next() == .signedOut(.logout))
    }

    @Test("Identifiers that another process has read are known, and are no event")
    func identifiers() async throws {
        let (fixture, _, app, widget) = try await processes()
        var events = await app.events.makeAsyncIterator()
        _ = await app.profile
        await fixture.transport.answer(
            "/me/identifiers",
            .success(#"{"identifiers":[{"type":"email_address","value":"ada@example.com"}]}"#))
        _ = try await widget.fetchIdentifiers()
        while await app.identifiers.isEmpty { await Task.yield() }
        try await widget.logoutAndRevoke()
        #expect(await events.next() == .signedOut(.anotherClient))
    }

    @Test("A client observes the signal while there is a stream, and its first state has what happened before")
    func observation() async throws {
        let (_, signal, app, widget) = try await processes()
        _ = await app.profile
        try await widget.logoutAndRevoke()
        #expect(signal.observers == 0)
        let follower = Task {
            var states = await app.states.makeAsyncIterator()
            let first = await states.next()
            _ = await states.next()
            return first
        }
        while signal.observers == 0 { await Task.yield() }
        while await app.engine.stateStreams.count == 0 { await Task.yield() }
        follower.cancel()
        #expect(await follower.value == .signedOut(.anotherClient))
        while signal.observers > 0 { await Task.yield() }
    }

    @Test("The name of a signal tells stores and endpoints apart, and contains neither")
    func name() {
        let names = [("group.one", "a"), ("group.one", "b"), ("group.two", "a")].map(SystemSignal.name)
        #expect(Set(names).count == 3)
        #expect(names.allSatisfy { $0.utf8.count == 48 && !$0.contains("group") })
        #expect(SystemSignal.name(store: "group.one", endpoint: "a") == names[0])
    }
}
