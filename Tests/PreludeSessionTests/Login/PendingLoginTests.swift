import Foundation
import Testing

@testable import PreludeSession

@Suite("A login that waits for its code", .timeLimit(.minutes(5)))
struct PendingLoginTests {
    private static let name = ClientFixture.name + ".login"
    private static let options = StartOTPLoginOptions(
        identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com"), loginConfigID: "lcfg_1")

    private static let password = LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "secret words")

    private func started(_ fixture: ClientFixture) async throws -> PreludeSessionClient {
        let client = try fixture.client()
        await fixture.transport.answer("/otp", .success(headers: ["x-verification-token": "v-1"]))
        try await client.startOTPLogin(Self.options)
        return client
    }

    private func answerLogin(_ fixture: ClientFixture) async {
        await fixture.transport.answer(
            "/otp/check", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
    }

    // Proves: E4
    @Test("A login that waits for its code survives a relaunch, until it expires")
    func relaunch() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await started(fixture)
        #expect(await client.pendingLogin == Self.options)
        fixture.clock.advance(3599)
        let relaunched = try fixture.client()
        #expect(await relaunched.pendingLogin == Self.options)
        await fixture.transport.answer("/otp/retry", .success())
        try await relaunched.resendOTP()
        #expect(await fixture.transport.requests("/otp/retry").first?.headers["x-verification-token"] == "v-1")
        fixture.clock.advance(1)
        #expect(await (try fixture.client()).pendingLogin == nil)
        #expect(try await fixture.store.read(Self.name) == nil)
    }

    @Test("The next launch redeems the challenge of the accepted code with the same verifier and attempt id")
    func accepted() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await started(fixture)
        await fixture.transport.answer("/otp/check", ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer("/login/finalize", .offline, .offline, fixture.refreshed(1))
        #expect(try await failure { _ = try await client.checkOTP("483920") } == "network")
        let record = String(decoding: try #require(try await fixture.store.read(Self.name)), as: UTF8.self)
        #expect(!record.contains("483920"), "no code is stored")
        let user = try await fixture.client().checkOTP("483 920")
        #expect(user.profile.sessionID == "ses_1")
        let sent = await fixture.transport.requests("/login/finalize")
        #expect(sent.count == 3 && Set(sent.map { $0.text("code_verifier") }).count == 1)
        #expect(Set(sent.map { $0.proof?["attempt"]?.stringValue }).count == 1)
        #expect(await fixture.transport.count("/otp/check") == 1)
        #expect(try await fixture.store.read(Self.name) == nil)
    }

    @Test(
        "A challenge that is void asks the service again, which says whether the user needs a new code",
        arguments: ["token_reused", "expired_challenge_token", "invalid_challenge_token"])
    func voidChallenge(code: String) async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await started(fixture)
        await fixture.transport.answer("/otp/check", ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer("/login/finalize", .offline, .offline)
        _ = try await failure { _ = try await client.checkOTP("483920") }
        let status = code == "token_reused" ? 409 : 401
        await fixture.transport.answer("/login/finalize", .errorResponse(status, code))
        await fixture.transport.answer("/otp/check", .errorResponse(400, "invalid_verification_token"))
        let relaunched = try fixture.client()
        let error = await #expect(throws: PreludeSessionError.self) { try await relaunched.checkOTP("483920") }
        #expect(error?.needsNewCode == true)
        #expect(await relaunched.pendingLogin == nil)
        #expect(try await fixture.store.read(Self.name) == nil)
    }

    @Test("A login, a logout and the end of the verification delete it", arguments: ["login", "logout", "end"])
    func ended(end: String) async throws {
        let fixture = try await ClientFixture(signedIn: end == "logout")
        let client = try await started(fixture)
        #expect(try await fixture.store.read(Self.name) != nil)
        switch end {
        case "login":
            await answerLogin(fixture)
            _ = try await client.checkOTP("483920")
        case "logout":
            await fixture.transport.answer("/revoke", .success())
            try await client.logoutAndRevoke()
        default:
            await fixture.transport.answer("/otp/check", .errorResponse(400, "invalid_verification_token"))
            _ = try await failure { _ = try await client.checkOTP("483920") }
        }
        #expect(await client.pendingLogin == nil)
        #expect(try await fixture.store.read(Self.name) == nil)
    }

    @Test("The end of a login keeps the record of one that another process has started since")
    func otherProcess() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await started(fixture)
        _ = try await started(fixture)
        await fixture.transport.answer("/otp/check", .errorResponse(400, "invalid_verification_token"))
        _ = try await failure { _ = try await client.checkOTP("483920") }
        #expect(await client.pendingLogin == Self.options)
    }

    @Test(
        "A login ends the start, and the read, of a login with a code that are in progress", arguments: [true, false])
    func overtaken(start: Bool) async throws {
        let fixture = try await ClientFixture(signedIn: false)
        if !start { _ = try await started(fixture) }
        let client = try fixture.client()
        let (gate, hold) = (Gate(), start ? nil : await fixture.store.hold(.read, ".login"))
        await fixture.transport.answer("/otp", .held(gate, .success(headers: ["x-verification-token": "v-2"])))
        let earlier = Task {
            if start { try await client.startOTPLogin(Self.options) } else { _ = await client.pendingLogin }
        }
        if let hold { await hold.arrived.wait() } else { await fixture.transport.arrival(of: "/otp") }
        await fixture.transport.answer("/login/email/password", ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await client.loginWithPassword(Self.password)
        await gate.open()
        await hold?.released.open()
        try await earlier.value
        #expect(await client.pendingLogin == nil)
        #expect(try await fixture.store.read(Self.name) == nil)
    }

    @Test("A code that is accepted after another process has ended the login does not bring its record back")
    func endedElsewhere() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await started(fixture)
        await fixture.transport.answer(
            "/otp/check",
            .after(
                { try await fixture.store.delete(Self.name) },
                ClientFixture.next(TestToken.challenge("t0", step: "completed"))))
        await fixture.transport.answer("/login/finalize", .offline, .offline)
        #expect(try await failure { _ = try await client.checkOTP("483920") } == "network")
        #expect(try await fixture.store.read(Self.name) == nil)
    }

    @Test(
        "The next login with a password continues the challenge of an earlier one, if it is of the same user and not void",
        arguments: ["same", "other", "void"])
    func password(user: String) async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        let (first, second) = (
            TestToken.challenge("t0", user: "usr_1"),
            TestToken.challenge("t1", user: user == "other" ? "usr_2" : "usr_1")
        )
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(first), ClientFixture.next(second))
        await fixture.transport.answer("/login/finalize", .offline, .offline)
        #expect(try await failure { _ = try await client.loginWithPassword(Self.password) } == "network")
        let record = String(decoding: try #require(try await fixture.store.read(Self.name)), as: UTF8.self)
        #expect(!record.contains("secret words"), "no password is stored")
        let relaunched = try fixture.client()
        #expect(await relaunched.pendingLogin == nil)
        #expect(try await failure { _ = try await relaunched.checkOTP("483920") } == "unauthorized")
        if user == "void" { await fixture.transport.answer("/login/finalize", .errorResponse(409, "token_reused")) }
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await relaunched.loginWithPassword(Self.password)
        let sent = await fixture.transport.requests("/login/finalize")
        let tokens = sent.map { $0.text("challenge_token") == first ? 1 : 2 }
        #expect(tokens == ["same": [1, 1, 1], "other": [1, 1, 2], "void": [1, 1, 1, 2]][user])
        #expect(Set(sent.map { $0.proof?["attempt"]?.stringValue }).count == (user == "same" ? 1 : 2))
        #expect(try await fixture.store.read(Self.name) == nil)
    }

    @Test("A definite rejection of the last request of a login with a password leaves no record")
    func rejectedPassword() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        await fixture.transport.answer("/login/email/password", ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer("/login/finalize", .errorResponse(403, "account_suspended"))
        #expect(try await failure { _ = try await client.loginWithPassword(Self.password) } != nil)
        #expect(try await fixture.store.read(Self.name) == nil)
    }

    @Test("The next launch continues a migration with the same credential, which may be valid only once")
    func migration() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        let options = MigrateOptions(token: "old-credential")
        await fixture.transport.answer("/migration", ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer("/login/finalize", .offline, .offline, fixture.refreshed(1))
        #expect(try await failure { _ = try await client.migrate(options) } == "network")
        let record = String(decoding: try #require(try await fixture.store.read(Self.name)), as: UTF8.self)
        #expect(!record.contains("old-credential"), "no credential is stored")
        let relaunched = try fixture.client()
        #expect(await relaunched.pendingLogin == nil)
        _ = try await relaunched.migrate(options)
        #expect(await fixture.transport.count("/migration") == 1)
        #expect(Set(await fixture.transport.requests("/login/finalize").map(\.body)).count == 1)
        #expect(try await fixture.store.read(Self.name) == nil)
    }

    @Test("A start whose response is lost leaves no record of the earlier login, and this client continues that one")
    func unansweredStart() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await started(fixture)
        await fixture.transport.answer("/otp", .offline)
        #expect(try await failure { try await client.startOTPLogin(Self.options) } == "network")
        #expect(await (try fixture.client()).pendingLogin == nil)
        await answerLogin(fixture)
        #expect(try await client.checkOTP("483920").profile.sessionID == "ses_1")
    }

    @Test("A wrong and a used-up code keep it")
    func wrongCode() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await started(fixture)
        await fixture.transport.answer(
            "/otp/check", .errorResponse(401, "bad_check_code"),
            .errorBody(401, #"{"code":"bad_check_code","message":"wrong","needs_new_code":true}"#))
        for _ in 0..<2 { #expect(try await failure { _ = try await client.checkOTP("1") } == "invalidOTPCode") }
        #expect(await (try fixture.client()).pendingLogin == Self.options)
    }

    @Test("A store that refuses the record does not fail the login", arguments: [FaultyStore.Refusal.growth, .writes])
    func refused(refusal: FaultyStore.Refusal) async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await started(fixture)
        await fixture.store.refuse(refusal)
        await fixture.transport.answer("/otp", .success(headers: ["x-verification-token": "v-2"]))
        try await client.startOTPLogin(Self.options)
        #expect(await client.pendingLogin == Self.options)
        await fixture.store.refuse(.nothing)
        await answerLogin(fixture)
        #expect(try await client.checkOTP("483920").profile.sessionID == "ses_1")
        #expect(await fixture.transport.requests("/otp/check").first?.headers["x-verification-token"] == "v-2")
    }

    @Test(
        "A record that this version cannot read is no login, and an unreadable store is not taken for none",
        arguments: ["?", #"{"version":2}"#, #"{"version":1}"#])
    func strange(record: String) async throws {
        let fixture = try await ClientFixture(signedIn: false)
        try await fixture.store.write(Data(record.utf8), to: Self.name)
        let client = try fixture.client()
        #expect(await client.pendingLogin == nil)
        #expect(try await failure { _ = try await client.checkOTP("483920") } == "unauthorized")
        await fixture.store.refuse(.locked)
        #expect(try await failure { _ = try await client.checkOTP("483920") } == "storageUnavailable")
    }

    @Test("The record of version 1 is read")
    func versionOne() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let text = """
            {"attempt":"AAAAAAAAAAAAAAAAAAAAAA","codeVerifier":"v","expiresAt":\(Int(TestClock.start) + 60),\
            "identifier":{"type":"email_address","value":"ada@example.com"},"loginConfigID":"lcfg_1",\
            "verificationToken":"v-1","version":1}
            """
        try await fixture.store.write(Data(text.utf8), to: Self.name)
        #expect(await (try fixture.client()).pendingLogin == Self.options)
    }
}
