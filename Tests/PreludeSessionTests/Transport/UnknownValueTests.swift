import Foundation
import PreludeSession
import Testing

@Suite("A service with values that this version of the SDK does not know")
struct UnknownValueTests {
    private static let session = """
        {"id":"ses_2","device_model":"Watch","device_type":"wearable","os_version":"","country_code":"",
        "created_at":"","last_seen_at":"","expires_at":"","battery":"full"}
        """

    @Test("A new device type is unknown, and new members of a session are ignored")
    func device() async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer(
            "/me/list", .success(#"{"sessions":[\#(Self.session)],"total":1,"limit":10,"offset":0,"cursor":"c"}"#))
        let sessions = try await fixture.client().listSessions().sessions
        #expect(sessions.map(\.deviceType) == [.unknown])
    }

    @Test("An unknown type of identifier is left out")
    func identifier() async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer(
            "/me/identifiers",
            .success(
                #"{"identifiers":[{"type":"passkey","value":"k"},{"type":"email_address","value":"a@example.com"}]}"#))
        let identifiers = try await fixture.client().fetchIdentifiers()
        #expect(identifiers == [PreludeIdentifier(type: .emailAddress, value: "a@example.com")])
    }

    @Test(
        "An unknown step-up status with a token continues, and without a token it is an error")
    func stepUp() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client, status: "deferred")
        #expect(challenge.status == .underReview)
        #expect(challenge.currentStep == "verify_sms")
        await fixture.transport.answer("/stepup/request", ClientFixture.decision(nil, status: "deferred"))
        #expect(try await failure { _ = try await client.requestStepUp(scope: "a") } == "generic")
    }

    @Test("An unknown step has its key")
    func step() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client, TestToken.challenge("t0", step: "verify_retina"))
        #expect(challenge.currentStep == "verify_retina")
    }

    @Test(
        "An unknown error code is kept with any status and ends no session", arguments: [400, 401, 403, 409, 418])
    func error(status: Int) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        await fixture.transport.answer("/refresh", .errorResponse(status, "quota_of_tomorrow"))
        let error = await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
        guard case .generic(let code, _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(code == "quota_of_tomorrow")
        #expect(await client.profile != nil)
    }

    @Test("A new claim is in the profile's extras")
    func claim() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        await fixture.transport.answer("/login/email/password", ClientFixture.next(TestToken.challenge("t0")))
        let token = TestToken.jwt([
            "sub": .string("usr_1"), "sid": .string("ses_1"), "tier": .object(["level": .int(3)]),
        ])
        await fixture.transport.answer(
            "/login/finalize",
            .success(
                #"{"access_token":"\#(token)","expires_at":1750000300,"token_type":"Bearer","new":[1]}"#,
                headers: ["x-refresh-token": "refresh-1"]))
        let user = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "a@example.com", password: "x"))
        #expect(user.profile.extras == ["tier": .object(["level": .int(3)])])
    }
}
