import Foundation
import Testing

@testable import PreludeSession

@Suite("Registering a passkey", .timeLimit(.minutes(5)))
struct PasskeyRegistrationTests {
    private static let options = RegisterPasskeyOptions(username: "ada@example.com")
    private static let begin = "/me/passkeys/register/begin"
    private static let finish = "/me/passkeys/register/finish"

    @Test("The service is asked for options, then the authenticator, then the service registers the passkey")
    func order() async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator {
            #expect(await fixture.sentPaths() == [Self.begin])
        }
        let client = try fixture.client(authenticator: authenticator)
        await fixture.answerRegistration()
        let result = try await client.registerPasskey(
            RegisterPasskeyOptions(username: "ada@example.com", displayName: "Ada", nickname: "Phone"))
        #expect(await fixture.sentPaths() == [Self.begin, Self.finish, "/refresh"])
        #expect(result.credential.credentialID == "bmV3" && result.credential.id == "bmV3")
        #expect(result.credential.createdAt == Date(timeIntervalSince1970: 1_750_000_000))
        #expect(result.credential.lastUsedAt == nil && !result.alreadyRegistered)
        #expect(
            await fixture.transport.requests(Self.begin).map(\.body) == [
                [
                    "username": .string("ada@example.com"), "display_name": .string("Ada"),
                    "nickname": .string("Phone"),
                ]
            ])
    }

    @Test("The authenticator gets the options of the service as bytes")
    func request() async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator()
        await fixture.answerRegistration()
        try await fixture.client(authenticator: authenticator).registerPasskey(Self.options)
        #expect(
            await authenticator.creations == [
                PreludePasskeyCreationRequest(
                    relyingPartyID: "example.com", challenge: Data("challenge".utf8), userHandle: Data("user".utf8),
                    userName: "ada@example.com", displayName: "Ada", excludedCredentialIDs: [Data("old".utf8)],
                    userVerification: .required)
            ])
    }

    @Test("The answer is sent with the token of the registration, an access token and a proof")
    func answer() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        let token = await client.accessToken ?? ""
        await fixture.answerRegistration()
        try await client.registerPasskey(Self.options)
        let sent = try #require(await fixture.transport.requests(Self.finish).first)
        #expect(sent.headers["authorization"] == "Bearer " + token)
        #expect(sent.proof?["ath"] != nil)
        #expect(
            sent.body == [
                "registration_token": .string("r-1"),
                "attestation": .object([
                    "id": .string("bmV3"), "rawId": .string("bmV3"), "type": .string("public-key"),
                    "authenticatorAttachment": .string("platform"),
                    "response": .object([
                        "clientDataJSON": .string("Y2xpZW50"), "attestationObject": .string("b2JqZWN0"),
                        "transports": .array([.string("internal")]),
                    ]),
                ]),
            ])
    }

    @Test("An empty name is not sent")
    func emptyNames() async throws {
        let fixture = try await ClientFixture()
        await fixture.answerRegistration()
        try await fixture.client(authenticator: PlayedAuthenticator()).registerPasskey(
            RegisterPasskeyOptions(username: "ada@example.com", displayName: "", nickname: ""))
        #expect(
            await fixture.transport.requests(Self.begin).map(\.body) == [["username": .string("ada@example.com")]])
    }

    @Test("A blank user name is rejected before any request")
    func blankName() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        #expect(
            try await failure { try await client.registerPasskey(RegisterPasskeyOptions(username: " ")) }
                == "invalidConfiguration")
        #expect(await fixture.transport.sent.isEmpty)
    }

    @Test("A passkey that the service had before is a result, not an error")
    func alreadyRegistered() async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer(Self.begin, .success(ClientFixture.registrationBegun))
        await fixture.transport.answer(
            Self.finish, .success(#"{"credential":{"credential_id":"bmV3"},"already_registered":true}"#))
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        let result = try await fixture.client(authenticator: PlayedAuthenticator()).registerPasskey(Self.options)
        #expect(result.alreadyRegistered)
        #expect(result.credential == PasskeyCredential(credentialID: "bmV3"))
    }

    @Test("After the registration the access token is replaced")
    func refresh() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        await fixture.answerRegistration()
        try await client.registerPasskey(Self.options)
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
        _ = try await client.refresh()
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test("A failed refresh after the registration is no error, and the next call refreshes")
    func failedRefresh() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        await fixture.transport.answer("/refresh", .errorResponse(500, "internal"))
        await fixture.answerRegistration()
        try await client.registerPasskey(Self.options)
        _ = try await client.refresh()
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
    }

    @Test("A rejected access token is refreshed once and the call repeated, and the authenticator is asked once")
    func rejectedToken() async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator()
        let client = try fixture.client(authenticator: authenticator)
        await fixture.transport.answer("/refresh", fixture.refreshed(0))
        await fixture.transport.answer(Self.finish, .errorResponse(401, "unauthorized"))
        await fixture.answerRegistration()
        try await client.registerPasskey(Self.options)
        #expect(await fixture.sentPaths() == [Self.begin, Self.finish, "/refresh", Self.finish, "/refresh"])
        #expect(await authenticator.creations.count == 1)
    }

    @Test("Without the scope the authenticator is not asked")
    func scope() async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator()
        let client = try fixture.client(authenticator: authenticator)
        await fixture.transport.answer(Self.begin, .errorResponse(403, "insufficient_scope"))
        #expect(
            try await failure { try await client.registerPasskey(Self.options) } == "insufficientScope")
        #expect(await authenticator.creations.isEmpty)
    }

    @Test("A user who cancels registers nothing, and the session is kept")
    func cancel() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client(authenticator: PlayedAuthenticator { throw CancellationError() })
        await fixture.answerRegistration()
        await #expect(throws: CancellationError.self) { try await client.registerPasskey(Self.options) }
        #expect(await fixture.sentPaths() == [Self.begin])
        #expect(await client.profile != nil)
    }

    @Test("The passkey of another user's session is not registered", arguments: [false, true])
    func otherSession(isLogin: Bool) async throws {
        let fixture = try await ClientFixture()
        let (asked, answered) = (Gate(), Gate())
        let client = try fixture.client(
            authenticator: PlayedAuthenticator {
                await asked.open()
                await answered.wait()
            })
        await fixture.answerRegistration()
        await fixture.transport.answer("/revoke", .success())
        let registration = Task { try await client.registerPasskey(Self.options) }
        await asked.wait()
        if isLogin {
            await (await fixture.holdPasswordLogin(session: "ses_2")).open()
            _ = try await client.loginWithPassword(
                LoginWithPasswordOptions(emailAddress: "b@example.com", password: "p"))
        } else {
            try await client.logoutAndRevoke()
        }
        await answered.open()
        #expect(try await failure { _ = try await registration.value } == "unauthorized")
        #expect(await fixture.transport.count(Self.finish) == 0)
    }

    @Test(
        "Options that no authenticator can use are an invalid response",
        arguments: [
            (#""id":"example.com""#, #""id":"""#), (#""id":"dXNlcg""#, #""id":"""#), (#""id":"dXNlcg""#, #""id":"?""#),
            (#""Y2hhbGxlbmdl""#, #""""#), (#""Y2hhbGxlbmdl""#, #""Y2hhbGxlbmdl=""#), (#""b2xk""#, #""b 2xk""#),
        ])
    func invalidOptions(valid: String, invalid: String) async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator()
        let client = try fixture.client(authenticator: authenticator)
        #expect(ClientFixture.registrationBegun.contains(valid))
        await fixture.transport.answer(
            Self.begin,
            .success(ClientFixture.registrationBegun.replacingOccurrences(of: valid, with: invalid)))
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.registerPasskey(Self.options)
        }
        #expect(error?.code == "invalid_answer")
        #expect(await authenticator.creations.isEmpty)
    }
}
