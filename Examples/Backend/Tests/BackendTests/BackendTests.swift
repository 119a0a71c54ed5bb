import Foundation
import Hummingbird
import HummingbirdTesting
import PreludeSession
import PreludeSessionTesting
import PreludeSessionVerifier
import Testing

@testable import Backend

/// The routes, with a real verifier and tokens of a real service in this process.
@Suite("The backend")
struct BackendTests {
    /// The URL at which apps call the backend.
    private static let url = "https://bank.example.com"

    /// The backend's response to a client of the service.
    private func answer(
        to method: HTTPRequest.Method, _ path: String, of client: PreludeSessionClient, at service: TestService
    ) async throws -> TestResponse {
        var options = VerifierOptions()
        options.environment = VerifierEnvironment { service.clock.now }
        let verifier = try SessionVerifier(
            service: service.origin, audience: service.appID, resources: [Self.url], options: options,
            keySource: KeySetLoader { try await service.keySet() })
        let request = try await service.request(method, to: Self.url + path, as: client)
        let hooks = try HookVerifier(service: service.origin)
        return try await Application(router: Backend.router(verifier, hooks: hooks)).test(.router) { backend in
            try await backend.execute(uri: path, method: method, headers: request.headerFields)
        }
    }

    @Test(
        "A signed-in user gets the balance and the notes", arguments: ["/accounts/balance", "/notes"],
        [false, true])
    func answers(path: String, isBound: Bool) async throws {
        let service = try await TestService(bindsAccessTokens: isBound)
        let client = try await service.signedIn()
        let answer = try await answer(to: .get, path, of: client, at: service)
        #expect(answer.status == .ok)
        #expect(String(buffer: answer.body).contains(try #require(await client.profile?.userID)))
    }

    @Test("A transfer needs a step-up, and succeeds after it")
    func transfer() async throws {
        let service = try await TestService()
        try await service.allow(scope: "transfer:write", steps: [])
        let client = try await service.signedIn()
        let refused = try await answer(to: .post, "/accounts/transfers", of: client, at: service)
        #expect(refused.status == .unauthorized)
        #expect(refused.headers[.wwwAuthenticate]?.contains(#"scope="transfer:write""#) == true)
        _ = try await client.requestStepUp(scope: "transfer:write")
        #expect(try await answer(to: .post, "/accounts/transfers", of: client, at: service).status == .accepted)
    }

    @Test("A token of another service is rejected", arguments: ["/accounts/balance", "/notes"])
    func strangers(path: String) async throws {
        let (service, other) = (try await TestService(), try await TestService())
        let answer = try await answer(to: .get, path, of: other.signedIn(), at: service)
        #expect(answer.status == .unauthorized)
    }
}
