import PreludeSession
import Testing

@Suite("Lost responses of a login")
struct LostLoginAnswerTests {
    private func started(_ fixture: ClientFixture) async throws -> PreludeSessionClient {
        let client = try fixture.client()
        await fixture.transport.answer("/otp", .success(headers: ["x-verification-token": "v"]))
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "a@example.com")))
        return client
    }

    /// Responses after which a request may have been processed.
    private static let lost: [ScriptedTransport.Answer] = [.offline, .proxyResponse(502), .proxyResponse(504)]

    @Test("A check whose response may be lost is sent once more, with the same code")
    func check() async throws {
        for answer in Self.lost {
            let fixture = try await ClientFixture(signedIn: false)
            let client = try await started(fixture)
            await fixture.transport.answer("/otp/check", answer, ClientFixture.next(TestToken.challenge("t0")))
            await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
            _ = try await client.checkOTP("483920")
            #expect(await fixture.transport.requests("/otp/check").map { $0.text("code") } == ["483920", "483920"])
        }
    }

    @Test("Each repetition of a finalize has the attempt id of the login, and a proof of its own")
    func finalize() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await started(fixture)
        await fixture.transport.answer("/otp/check", ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer(
            "/login/finalize", .offline, .offline, .errorResponse(400, "invalid_dpop_proof"),
            .errorResponse(400, "use_dpop_nonce", headers: ["dpop-nonce": "n"]), fixture.refreshed(1))
        #expect(try await failure { _ = try await client.checkOTP("483920") } == "network")
        _ = try await client.checkOTP("483920")
        let proofs = await fixture.transport.requests("/login/finalize").compactMap(\.proof)
        #expect(proofs.count == 5)
        #expect(Set(proofs.map { $0["attempt"]?.stringValue }).count == 1)
        #expect(proofs[0]["attempt"]?.stringValue?.count == 22)
        #expect(Set(proofs.map { $0["jti"]?.stringValue }).count == 5)
        #expect(await fixture.transport.count("/otp/check") == 1)
    }

    @Test("Two logins have two attempt ids")
    func otherLogin() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        for index in 1...2 {
            let client = try await started(fixture)
            await fixture.transport.answer("/otp/check", ClientFixture.next(TestToken.challenge("t\(index)")))
            await fixture.transport.answer("/login/finalize", fixture.refreshed(index))
            _ = try await client.checkOTP("483920")
        }
        let proofs = await fixture.transport.requests("/login/finalize").compactMap(\.proof)
        #expect(Set(proofs.map { $0["attempt"]?.stringValue }).count == 2)
    }

    @Test("A login with a password is repeated in the same way")
    func password() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        await fixture.transport.answer(
            "/login/email/password", .offline, ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer("/login/finalize", .offline, fixture.refreshed(1))
        _ = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "a@example.com", password: "staple crystal lantern"))
        let proofs = await fixture.transport.requests("/login/finalize").compactMap(\.proof)
        #expect(Set(proofs.map { $0["attempt"]?.stringValue }).count == 1)
        #expect(proofs[0]["attempt"]?.stringValue?.count == 22)
    }

    @Test("A definite answer, a timeout and a gateway that asks to wait are not repeated")
    func definite() async throws {
        let answers: [ScriptedTransport.Answer] = [
            .errorResponse(401, "bad_check_code"), .errorResponse(400, "invalid_verification_token"), .timeout,
            .errorResponse(500, "internal"), .proxyResponse(503, headers: ["retry-after": "5"]),
        ]
        for answer in answers {
            let fixture = try await ClientFixture(signedIn: false)
            let client = try await started(fixture)
            await fixture.transport.answer("/otp/check", answer)
            await #expect(throws: PreludeSessionError.self) { try await client.checkOTP("483920") }
            #expect(await fixture.transport.count("/otp/check") == 1)
        }
    }

    @Test("A message is not sent a second time by itself")
    func start() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        await fixture.transport.answer("/otp", .offline)
        await #expect(throws: PreludeSessionError.self) {
            try await client.startOTPLogin(
                StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "a@example.com")))
        }
        #expect(await fixture.transport.count("/otp") == 1)
    }
}
