import Foundation
import Testing

@testable import PreludeSession

@Suite("Overtaken calls change nothing", .timeLimit(.minutes(5)))
struct FenceTests {
    private static let password = LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "secret words")

    // Proves: E5
    @Test("A login that a logout overtook signs no user in, and the server revokes its session")
    func logoutDuringLogin() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let gate = await fixture.holdPasswordLogin(session: "ses_2")
        await fixture.transport.answer("/revoke", .success(), .success())
        async let login = failure { _ = try await client.loginWithPassword(Self.password) }
        await fixture.transport.arrival(of: "/login/email/password")
        try await client.logoutAndRevoke()
        await gate.open()
        #expect(try await login == "unauthorized")
        #expect(try await fixture.stored() == nil)
        await fixture.transport.arrival(of: "/revoke", count: 2)
        #expect(await fixture.transport.requests("/revoke").last?.headers["x-refresh-token"] == "refresh-1")
    }

    @Test("The end of an old session does not drop a login")
    func oldSessionDiesDuringLogin() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.profile
        let gate = await fixture.holdPasswordLogin(session: "ses_2")
        await fixture.transport.answer("/refresh", .errorResponse(401, "unauthorized"))
        async let login = client.loginWithPassword(Self.password)
        await fixture.transport.arrival(of: "/login/email/password")
        try await client.invalidateSession()
        #expect(try await failure { _ = try await client.refresh() } == "unauthorized")
        await gate.open()
        #expect(try await login.profile.sessionID == "ses_2")
        #expect(try await fixture.stored()?.sessionID == "ses_2")
    }

    @Test("The later of two started logins counts, whichever response arrives first")
    func laterCode() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer(
            "/otp", .held(gate, .success(headers: ["x-verification-token": "wrong-number"])),
            .success(headers: ["x-verification-token": "right-number"]))
        func start(_ number: String) async throws {
            try await client.startOTPLogin(
                StartOTPLoginOptions(identifier: PreludeIdentifier(type: .phoneNumber, value: number)))
        }
        async let first: Void = start("+14155550100")
        await fixture.transport.arrival(of: "/otp")
        try await start("+14155550101")
        await gate.open()
        try await first
        await fixture.transport.answer("/otp/check", .errorResponse(401, "bad_check_code"))
        _ = try await failure { _ = try await client.checkOTP("123456") }
        let checked = await fixture.transport.requests("/otp/check").first
        #expect(checked?.headers["x-verification-token"] == "right-number")
    }

    // Proves: E5
    @Test("A call of one user is not repeated for another user")
    func noOtherUser() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer("/me/revoke", .held(gate, .errorResponse(401, "unauthorized")), .success())
        await fixture.transport.answer("/revoke", .success())
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1, session: "ses_2"))
        async let call = failure { try await client.revokeSessions(.all) }
        await fixture.transport.arrival(of: "/me/revoke")
        try await client.logoutAndRevoke()
        _ = try await client.loginWithPassword(Self.password)
        await gate.open()
        #expect(try await call == "unauthorized")
        #expect(await fixture.transport.count("/me/revoke") == 1)
    }

    // Proves: E5
    @Test("A refresh that waited for the lock does not use the token of a newer login")
    func waitingRefresh() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        let (gate, held) = (Gate(), Gate())
        let store = fixture.store
        let holder = Task {
            try await store.withLock(ClientFixture.name + ".refresh") {
                await held.open()
                await gate.wait()
            }
        }
        await held.wait()
        async let refresh = failure { _ = try await client.refresh() }
        await fixture.transport.answer("/revoke", .success())
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1, session: "ses_2"))
        // The refresh has started when it waits for its lock. The engine handles calls in order.
        while await client.engine.refreshing == nil { await Task.yield() }
        try await client.logoutAndRevoke()
        _ = try await client.loginWithPassword(Self.password)
        await gate.open()
        try await holder.value
        #expect(try await refresh == "unauthorized")
        #expect(await fixture.transport.count("/refresh") == 0)
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
    }
}
