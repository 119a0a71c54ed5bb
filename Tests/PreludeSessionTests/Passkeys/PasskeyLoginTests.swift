import Foundation
import Testing

@_spi(Service) @testable import PreludeSession

@Suite("A login with a passkey", .timeLimit(.minutes(5)))
struct PasskeyLoginTests {
    private struct Signals: PreludeSignalsDispatcher {
        func dispatch() async throws -> String? { "dispatch-1" }
    }

    @Test("The service is asked for options, then the authenticator, then the session begins")
    func order() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let authenticator = PlayedAuthenticator {
            #expect(await fixture.sentPaths() == ["/login/passkey/begin"])
        }
        let client = try fixture.client(authenticator: authenticator)
        await fixture.answerPasskeyLogin()
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        let user = try await client.loginWithPasskey()
        #expect(user.profile.sessionID == "ses_1")
        #expect(
            await fixture.sentPaths() == ["/login/passkey/begin", "/login/passkey/finish", "/login/finalize"])
        #expect(
            await authenticator.signIns == [
                PreludePasskeySignInRequest(relyingPartyID: "example.com", challenge: Data("challenge".utf8))
            ])
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
        #expect(await client.identifiers.isEmpty)
    }

    @Test("Begin and finish have neither a proof nor an access token")
    func anonymous() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(signals: Signals(), authenticator: PlayedAuthenticator())
        await fixture.answerPasskeyLogin()
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await client.loginWithPasskey()
        for sent in await fixture.transport.sent.prefix(2) {
            #expect(sent.headers["authorization"] == nil && sent.headers["dpop"] == nil)
        }
        #expect(
            await fixture.transport.sent.map(\.body) == [
                ["dispatch_id": .string("dispatch-1")],
                ["login_token": .string("l-1"), "assertion": .object(ClientFixture.assertion)],
                ["challenge_token": .string(TestToken.challenge("t0", step: "completed"))],
            ])
        let finalize = try #require(await fixture.transport.requests("/login/finalize").first)
        #expect(finalize.headers["x-refresh-token"] == "refresh-0")
        #expect(finalize.proof?["attempt"]?.stringValue?.count == 22)
    }

    @Test("A known device proves itself when it finishes a login")
    func knownDevice() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        let expiry = Int(TestClock.start) + 300
        await fixture.transport.answer(
            "/login/finalize",
            .success(
                #"{"access_token":"\#(TestToken.access("access-1"))","expires_at":\#(expiry)}"#,
                headers: ["x-refresh-token": "refresh-1", "x-trusted-device": "device-1"]),
            fixture.refreshed(2))
        for _ in 0..<2 {
            await fixture.answerPasskeyLogin()
            _ = try await client.loginWithPasskey()
        }
        #expect(
            await fixture.transport.requests("/login/passkey/finish").map { $0.headers["x-trusted-device"] }
                == [nil, "device-1"])
    }

    @Test("An answer that comes too late is an error that asks to start again", arguments: [false, true])
    func late(isRegistration: Bool) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        await fixture.transport.answer("/login/passkey/begin", .success(ClientFixture.loginBegun))
        await fixture.transport.answer("/me/passkeys/register/begin", .success(ClientFixture.registrationBegun))
        for path in ["/login/passkey/finish", "/me/passkeys/register/finish"] {
            await fixture.transport.answer(path, .errorResponse(401, "expired_challenge_token"))
        }
        let error = await #expect(throws: PreludeSessionError.self) {
            if isRegistration {
                try await client.registerPasskey(RegisterPasskeyOptions(username: "ada@example.com"))
            } else {
                try await client.loginWithPasskey()
            }
        }
        #expect(error?.code == .expiredChallengeToken && error?.message.key == .startAgain)
        // The code says nothing about the session.
        #expect(await fixture.transport.sent.count == 2)
        #expect(await client.profile != nil)
    }

    @Test("Without signals the body of begin is an empty object")
    func emptyBegin() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        await fixture.answerPasskeyLogin()
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await client.loginWithPasskey()
        #expect(await fixture.transport.requests("/login/passkey/begin").map(\.body) == [[:]])
        #expect(
            await fixture.transport.requests("/login/passkey/begin")[0].headers["content-type"] == "application/json")
    }

    @Test("The options of the login reach the authenticator")
    func options() async throws {
        for options in [
            PasskeyLoginOptions(autofill: true), PasskeyLoginOptions(preferImmediatelyAvailableCredentials: true),
        ] {
            let fixture = try await ClientFixture(signedIn: false)
            let authenticator = PlayedAuthenticator()
            await fixture.answerPasskeyLogin()
            await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
            _ = try await fixture.client(authenticator: authenticator).loginWithPasskey(options)
            let request = try #require(await authenticator.signIns.first)
            #expect(request.autofill == options.autofill)
            #expect(
                request.preferImmediatelyAvailableCredentials == options.preferImmediatelyAvailableCredentials)
        }
    }

    @Test("The list of allowed passkeys and the verification of the user reach the authenticator")
    func allowed() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let authenticator = PlayedAuthenticator()
        let options = """
            {"public_key":{"challenge":"Y2hhbGxlbmdl","rpId":"example.com","userVerification":"discouraged",
            "allowCredentials":[{"type":"public-key","id":"b2xk","transports":["internal"]}]},"login_token":"l-1"}
            """
        await fixture.transport.answer("/login/passkey/begin", .success(options))
        await fixture.transport.answer("/login/passkey/finish", ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await fixture.client(authenticator: authenticator).loginWithPasskey()
        let request = try #require(await authenticator.signIns.first)
        #expect(request.allowedCredentialIDs == [Data("old".utf8)])
        #expect(request.userVerification == .discouraged)
    }

    @Test("A verification of the user that WebAuthn does not know is `preferred`", arguments: [nil, "", "always"])
    func unknownVerification(wire: String?) {
        #expect(PreludePasskeyVerification(wire: wire) == .preferred)
    }

    @Test("A user who cancels stays signed out, and the login of a code continues")
    func cancel() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client(authenticator: PlayedAuthenticator { throw CancellationError() })
        let code = StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "a@example.com"))
        await fixture.transport.answer("/otp", .success(headers: ["x-verification-token": "v"]))
        try await client.startOTPLogin(code)
        await fixture.answerPasskeyLogin()
        await #expect(throws: CancellationError.self) { try await client.loginWithPasskey() }
        #expect(await fixture.transport.count("/login/passkey/finish") == 0)
        #expect(await client.pendingLogin == code)
    }

    @Test("A cancelled task ends the question to the user")
    func cancelledTask() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let asked = Gate()
        let client = try fixture.client(
            authenticator: PlayedAuthenticator {
                await asked.open()
                try await SDKEnvironment.untilCancelled(0)
            })
        await fixture.answerPasskeyLogin()
        let login = Task { try await client.loginWithPasskey(PasskeyLoginOptions(autofill: true)) }
        await asked.wait()
        login.cancel()
        await #expect(throws: CancellationError.self) { try await login.value }
        #expect(await fixture.transport.count("/login/passkey/finish") == 0)
    }

    @Test("A login with a sheet ends the login above the keyboard before it asks the user")
    func sheetAfterAutofill() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let asked = Gate()
        let client = try fixture.client(
            authenticator: PlayedAuthenticator {
                guard await !asked.isOpen else { return }
                await asked.open()
                try await SDKEnvironment.untilCancelled(0)
            })
        await fixture.transport.answer("/login/passkey/begin", .success(ClientFixture.loginBegun))
        await fixture.answerPasskeyLogin()
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        let autofill = Task { try await client.loginWithPasskey(PasskeyLoginOptions(autofill: true)) }
        await asked.wait()
        #expect(try await client.loginWithPasskey().profile.sessionID == "ses_1")
        await #expect(throws: CancellationError.self) { try await autofill.value }
        #expect(await fixture.transport.count("/login/passkey/finish") == 1)
    }

    @Test("Another login or a logout ends a login that waits for the user", arguments: [false, true])
    func overtaken(isLogin: Bool) async throws {
        let fixture = try await ClientFixture()
        let (asked, answered) = (Gate(), Gate())
        let client = try fixture.client(
            authenticator: PlayedAuthenticator {
                await asked.open()
                await answered.wait()
            })
        await fixture.answerPasskeyLogin()
        await fixture.transport.answer("/revoke", .success())
        let login = Task { try await client.loginWithPasskey() }
        await asked.wait()
        if isLogin {
            await (await fixture.holdPasswordLogin(session: "ses_2")).open()
            _ = try await client.loginWithPassword(
                LoginWithPasswordOptions(emailAddress: "b@example.com", password: "p"))
        } else {
            try await client.logoutAndRevoke()
        }
        await answered.open()
        #expect(try await failure { _ = try await login.value } == "unauthorized")
        #expect(await fixture.transport.count("/login/passkey/finish") == 0)
        #expect(await client.sessionID == (isLogin ? "ses_2" : nil))
    }

    @Test("A finish whose response may be lost is sent once more")
    func lostFinish() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let authenticator = PlayedAuthenticator()
        let client = try fixture.client(authenticator: authenticator)
        await fixture.transport.answer("/login/passkey/finish", .offline)
        await fixture.answerPasskeyLogin()
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await client.loginWithPasskey()
        #expect(Set(await fixture.transport.requests("/login/passkey/finish").map(\.body)).count == 1)
        #expect(await fixture.transport.count("/login/passkey/finish") == 2)
        #expect(await authenticator.signIns.count == 1)
    }

    @Test(
        "The next login with a passkey continues the challenge of an earlier one, if it is of the same user and not void",
        arguments: ["same", "other", "void"])
    func continued(user: String) async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let (first, second) = (
            TestToken.challenge("t0", user: "usr_1"),
            TestToken.challenge("t1", user: user == "other" ? "usr_2" : "usr_1")
        )
        await fixture.answerPasskeyLogin(first)
        await fixture.answerPasskeyLogin(second)
        await fixture.transport.answer("/login/finalize", .offline, .offline)
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        #expect(try await failure { _ = try await client.loginWithPasskey() } == "network")
        let relaunched = try fixture.client(authenticator: PlayedAuthenticator())
        #expect(await relaunched.pendingLogin == nil)
        if user == "void" { await fixture.transport.answer("/login/finalize", .errorResponse(409, "token_reused")) }
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await relaunched.loginWithPasskey()
        let sent = await fixture.transport.requests("/login/finalize")
        let tokens = sent.map { $0.text("challenge_token") == first ? 1 : 2 }
        #expect(tokens == ["same": [1, 1, 1], "other": [1, 1, 2], "void": [1, 1, 1, 2]][user])
        #expect(Set(sent.map { $0.proof?["attempt"]?.stringValue }).count == (user == "same" ? 1 : 2))
        #expect(try await fixture.store.read(ClientFixture.name + ".login") == nil)
    }

    @Test("A passkey that the service does not accept is an error about the assertion, and no session begins")
    func rejected() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        await fixture.transport.answer("/login/passkey/begin", .success(ClientFixture.loginBegun))
        await fixture.transport.answer("/login/passkey/finish", .errorResponse(401, "unauthorized"))
        let error = await #expect(throws: PreludeSessionError.self) { try await client.loginWithPasskey() }
        #expect(error?.field == "assertion")
        #expect(error?.message.key == .passkeyFailed)
        #expect(await fixture.transport.count("/login/finalize") == 0)
    }

    @Test("An app without a login with passkeys does not ask the authenticator")
    func notConfigured() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let authenticator = PlayedAuthenticator()
        let client = try fixture.client(authenticator: authenticator)
        await fixture.transport.answer("/login/passkey/begin", .errorResponse(403, "passkey_not_configured"))
        let error = await #expect(throws: PreludeSessionError.self) { try await client.loginWithPasskey() }
        #expect(error?.code == .passkeyNotConfigured)
        #expect(await authenticator.signIns.isEmpty)
    }
}
