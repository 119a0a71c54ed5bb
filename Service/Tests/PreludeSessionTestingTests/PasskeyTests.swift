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
}
