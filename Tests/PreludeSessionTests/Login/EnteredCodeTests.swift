import Testing

@testable import PreludeSession

@Suite("Codes as users type them")
struct EnteredCodeTests {
    @Test(
        "Spaces, punctuation, invisible characters and digits of other scripts are normalized",
        arguments: [
            ("123456", "123456"), (" 123456\n", "123456"), ("123 456", "123456"),
            ("1 2 3\u{A0}4\u{2009}5\u{3000}6", "123456"),
            ("123-456", "123456"), ("12\u{2010}34\u{2011}56", "123456"), ("12\u{2013}34\u{2014}56", "123456"),
            ("123\u{2212}456", "123456"), ("１２３４５６", "123456"), ("１２３\u{30FC}４５６", "123456"),
            ("１２３\u{FF0D}４５６", "123456"), ("١٢٣٤٥٦", "123456"), ("०१२३४५", "012345"),
            ("\u{200E}123456\u{200B}", "123456"),
            ("\u{FEFF}0000", "0000"), ("000000", "000000"), ("123.456", "123456"), ("123·456", "123456"),
            ("123_456", "123456"), ("１２３\u{FF70}４５６", "123456"), ("１．２", "12"), ("\"123456\".", "123456"),
            ("(123) 456", "123456"), ("123\u{30FB}456", "123456"),
        ])
    func normalized(typed: String, sent: String) {
        #expect(EnteredCode.normalized(typed) == sent)
    }

    @Test(
        "A text that is no code of digits is sent as it was typed",
        arguments: ["", " ", "-", "abc", "12 34 5x", "AB-12", "½", "Ⅷ", "1+2", "12\u{301}", "1234😀"])
    func other(typed: String) {
        #expect(EnteredCode.normalized(typed) == typed)
    }

    @Test(
        "A text without digits only is refused, and spends none of the checks", arguments: ["", "-", "abc", "12 34 5x"])
    func refused(typed: String) async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        await fixture.transport.answer("/otp", .success(headers: ["x-verification-token": "v"]))
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "a@example.com")))
        let error = await #expect(throws: PreludeSessionError.self) { _ = try await client.checkOTP(typed) }
        #expect(error?.message.key == .wrongCode)
        #expect(await fixture.transport.requests("/otp/check").isEmpty)
    }

    @Test("A login sends the normalized code, and two spellings of it are one code")
    func login() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        await fixture.transport.answer("/otp", .success(headers: ["x-verification-token": "v"]))
        await fixture.transport.answer("/otp/check", ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer("/login/finalize", .offline, .offline, fixture.refreshed(1))
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "a@example.com")))
        #expect(try await failure { _ = try await client.checkOTP("483 920") } == "network")
        _ = try await client.checkOTP("４８３-９２０")
        #expect(await fixture.transport.requests("/otp/check").map { $0.text("code") } == ["483920"])
    }

    @Test("A step-up sends the normalized code")
    func stepUp() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        await fixture.transport.answer("/otp/check", ClientFixture.next(TestToken.challenge("t1")))
        try await client.submitStepUpOTP(challenge, code: "48–39 20")
        #expect(await fixture.transport.requests("/otp/check").map { $0.text("code") } == ["483920"])
    }
}
