import Foundation
import HTTPTypes
import PreludeSession
import Testing

@testable import PreludeSessionTesting

@Suite("Passkeys of the test service")
struct PasskeyTests {
    @Test("Each request has one purpose, also the one with the id of a passkey in its path")
    func calls() {
        for call in TestService.Call.allCases where call != .changePasskey {
            #expect(TestService.Call(path: call.path) == call)
        }
        let passkeys = TestService.Call.listPasskeys.path
        #expect(TestService.Call(path: passkeys + "/AbC_-1") == .changePasskey)
        #expect(TestService.Call(path: passkeys + "/") == nil)
        #expect(TestService.Call(path: passkeys + "/AbC/other") == nil)
        #expect(TestService.Call(path: passkeys + "/register/begin") == .beginPasskeyRegistration)
    }

    @Test("The service has passkeys for session.test")
    func configured() async throws {
        let service = try await TestService()
        let (head, body) = try await service.world.router.respond(
            to: HTTPRequest(
                method: .post, scheme: "https", authority: "session.test",
                path: TestService.Call.beginPasskeyLogin.path, headerFields: [.contentType: "application/json"]),
            body: Data("{}".utf8))
        #expect(head.status == .ok)
        #expect(String(decoding: body, as: UTF8.self).contains(#""rpId":"session.test""#))
    }

    @Test("A user without a passkey cannot step up for a scope that needs one")
    func step() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        try await service.allow(scope: "transfer:write", steps: [.verifyPasskey])
        await #expect(throws: PreludeSessionError.self) { try await client.requestStepUp(scope: "transfer:write") }
    }

    @Test("The scope for passkeys is not allowed for one access token")
    func singleUse() async throws {
        let service = try await TestService()
        await #expect(throws: TestServiceError.self) { try await service.allow(scope: "prld:passkey:write") }
        try await service.allow(scope: "prld:passkey:write", grantMode: .sessionBound)
    }

    @Test("An app registers a passkey, signs in with it, steps up, renames and deletes it")
    func wholeLife() async throws {
        let service = try await TestService()
        let authenticator = SoftwareAuthenticator()
        let client = try service.client(passkeyAuthenticator: authenticator)
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
        let user = try await client.checkOTP(try service.code(for: "ada@example.com"))
        let registered = try await client.registerPasskey(RegisterPasskeyOptions(username: "ada", nickname: "Phone"))
        #expect(!registered.alreadyRegistered && registered.credential.nickname == "Phone")
        await #expect(throws: PreludeSessionError.self) {
            try await client.registerPasskey(RegisterPasskeyOptions(username: "ada"))
        }

        let other = try service.client(passkeyAuthenticator: authenticator)
        #expect(try await other.loginWithPasskey().userID == user.userID)
        try await service.allow(scope: "transfer:write", steps: [.verifyPasskey])
        let challenge = try await other.requestStepUp(scope: "transfer:write")
        #expect(challenge.expectsPasskey)
        #expect(try await other.continueStepUpWithPasskey(challenge) == nil)
        try await other.renamePasskey(id: registered.credential.id, nickname: "")
        #expect(try await other.listPasskeys().map(\.nickname) == [nil])
        try await other.deletePasskey(id: registered.credential.id)
        #expect(try await other.listPasskeys().isEmpty)
        let gone = try service.client(passkeyAuthenticator: authenticator)
        await #expect(throws: PreludeSessionError.self) { try await gone.loginWithPasskey() }
    }

    @Test("A second passkey needs a step-up when the login is no longer new")
    func later() async throws {
        let service = try await TestService()
        try await service.allow(scope: "prld:passkey:write", grantMode: .sessionBound)
        let client = try await service.signedIn()
        service.clock.advance(by: .seconds(700))
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.registerPasskey(RegisterPasskeyOptions(username: "ada"))
        }
        #expect(error?.code == .insufficientScope)
        let challenge = try await client.requestStepUp(scope: "prld:passkey:write")
        try await client.sendStepUpOTP(challenge)
        _ = try await client.submitStepUpOTP(challenge, code: try service.code(for: "ada@example.com"))
        _ = try await client.registerPasskey(RegisterPasskeyOptions(username: "ada"))
    }
}
