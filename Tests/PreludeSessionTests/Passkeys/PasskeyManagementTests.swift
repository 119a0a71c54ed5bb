import Foundation
import Testing

@testable import PreludeSession

@Suite("The user's passkeys")
struct PasskeyManagementTests {
    private static let path = "/me/passkeys/b2xk"

    @Test("The list has all members, and times are dates")
    func list() async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer(
            "/me/passkeys",
            .success(
                """
                {"credentials":[{"credential_id":"b2xk","nickname":"Phone","transports":["internal"],
                "backup_state":true,"created_at":1750000000,"last_used_at":1750000060},{"credential_id":"bmV3"}]}
                """))
        let passkeys = try await fixture.client().listPasskeys()
        #expect(
            passkeys == [
                PasskeyCredential(
                    credentialID: "b2xk", nickname: "Phone", transports: ["internal"], backupState: true,
                    createdAt: Date(timeIntervalSince1970: 1_750_000_000),
                    lastUsedAt: Date(timeIntervalSince1970: 1_750_000_060)),
                PasskeyCredential(credentialID: "bmV3"),
            ])
        #expect(await fixture.transport.requests("/me/passkeys").first?.proof?["htm"] == .string("GET"))
    }

    @Test(
        "A list that is null or missing is empty", arguments: [#"{"credentials":null}"#, "{}", #"{"credentials":[]}"#])
    func emptyList(json: String) async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer("/me/passkeys", .success(json))
        #expect(try await fixture.client().listPasskeys().isEmpty)
    }

    @Test("A name is sent as it is, the empty one too, and nothing is refreshed", arguments: ["Phone", "", " "])
    func rename(nickname: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer(Self.path, .success(), .success())
        try await client.renamePasskey(id: "b2xk", nickname: nickname)
        try await client.renamePasskey("b2xk", nickname: nickname)
        let sent = await fixture.transport.requests(Self.path)
        #expect(sent.map(\.body) == [["nickname": .string(nickname)], ["nickname": .string(nickname)]])
        #expect(sent.first?.proof?["htm"] == .string("PATCH"))
        #expect(sent.first?.proof?["htu"] == .string("http://localhost:8080/v1/session/me/passkeys/b2xk"))
        #expect(await fixture.transport.sent.count == 2)
    }

    @Test("A deletion tells the authenticator and replaces the access token")
    func delete() async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator()
        await fixture.answerRegistration()
        try await fixture.client(authenticator: authenticator).registerPasskey(
            RegisterPasskeyOptions(username: "ada@example.com"))
        // The host of the passkeys is known after a relaunch.
        let launched = try fixture.client(authenticator: authenticator)
        await fixture.transport.answer(Self.path, .success())
        await fixture.transport.answer("/refresh", fixture.refreshed(2))
        try await launched.deletePasskey("b2xk")
        #expect(
            await authenticator.deletions == [
                PlayedAuthenticator.Deletion(credentialID: Data("old".utf8), relyingPartyID: "example.com")
            ])
        #expect(await fixture.transport.requests(Self.path).first?.proof?["htm"] == .string("DELETE"))
        #expect(try await fixture.stored()?.refreshToken == "refresh-2")
    }

    @Test("A deletion on a device that has used no passkey tells no authenticator")
    func unknownHost() async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator()
        await fixture.transport.answer(Self.path, .success())
        await fixture.transport.answer("/refresh", .offline, .offline)
        try await fixture.client(authenticator: authenticator).deletePasskey(id: "b2xk")
        #expect(await authenticator.deletions.isEmpty)
    }

    @Test("A passkey that the user does not have changes nothing")
    func notFound() async throws {
        let fixture = try await ClientFixture()
        let authenticator = PlayedAuthenticator()
        let client = try fixture.client(authenticator: authenticator)
        await fixture.transport.answer(
            Self.path, .errorResponse(404, "not_found"), .errorResponse(404, "not_found"))
        #expect(try await failure { try await client.deletePasskey(id: "b2xk") } == "notFound")
        #expect(
            try await failure { try await client.renamePasskey(id: "b2xk", nickname: "Phone") } == "notFound")
        #expect(await authenticator.deletions.isEmpty)
        #expect(await fixture.transport.count("/refresh") == 0)
    }

    @Test(
        "An id that would change the path is rejected before any request", arguments: ["", "a/b", "..", "a?b", "a%2Fb"])
    func invalidID(id: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        #expect(try await failure { try await client.deletePasskey(id: id) } == "invalidConfiguration")
        #expect(
            try await failure { try await client.renamePasskey(id: id, nickname: "") } == "invalidConfiguration")
        #expect(await fixture.transport.sent.isEmpty)
    }

    @Test("The log has the path without the id")
    func logged() async throws {
        let fixture = try await ClientFixture()
        let log = RecordedLog()
        await fixture.transport.answer(Self.path, .success())
        try await fixture.client(log: log).renamePasskey(id: "b2xk", nickname: "Phone")
        let texts = log.entries.map(\.revealedDescription)
        #expect(texts.contains { $0.contains("/v1/session/me/passkeys/{credential_id}") })
        #expect(!texts.contains { $0.contains("b2xk") || $0.contains("Phone") })
    }

    @Test("Without a session no request is sent")
    func signedOut() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client(authenticator: PlayedAuthenticator())
        #expect(try await failure { _ = try await client.listPasskeys() } == "unauthorized")
        #expect(try await failure { try await client.deletePasskey(id: "b2xk") } == "unauthorized")
        #expect(
            try await failure { try await client.registerPasskey(RegisterPasskeyOptions(username: "ada")) }
                == "unauthorized")
        #expect(await fixture.transport.sent.isEmpty)
    }
}
