import Foundation
import HTTPTypes
@_spi(Service) import PreludeSession
import PreludeSessionTesting
import PreludeSessionVerifier
import Testing

/// Unit tests of a backend, as its developer writes them, with real tokens and a real verifier, without a network.
@Suite("A backend that verifies")
struct BackendTests {
    private static let orders = "https://api.example.com/orders?page=2"

    private func verifier(
        of service: TestService, resources: [String] = ["https://api.example.com"]
    ) throws -> SessionVerifier {
        var options = VerifierOptions()
        options.environment = VerifierEnvironment { service.clock.now }
        return try SessionVerifier(
            service: service.origin, audience: service.appID, resources: resources, options: options,
            keySource: KeySetLoader { try await service.keySet() })
    }

    /// The reason of a rejection; `nil` when nothing was rejected.
    private func refusal(_ work: () async throws -> VerifiedUser) async throws -> VerificationError.Reason? {
        do {
            _ = try await work()
            return nil
        } catch let error as VerificationError {
            return error.reason
        }
    }

    @Test("The backend knows the user by a bearer token")
    func bearer() async throws {
        let service = try await TestService()
        let ada = try await service.createUser(email: "ada@example.com")
        let client = try await service.signedIn("ada@example.com")
        let user = try await verifier(of: service).verify(try await client.refresh().accessToken)
        #expect(user.userID == ada)
        #expect(await client.sessionID == user.sessionID)
    }

    @Test("The backend knows the user by a whole request, with a bearer or a bound token", arguments: [false, true])
    func request(isBound: Bool) async throws {
        let service = try await TestService(bindsAccessTokens: isBound)
        let client = try await service.signedIn()
        let verifier = try verifier(of: service)
        for method in [HTTPRequest.Method.get, .post] {
            let request = try await service.request(method, to: Self.orders, as: client)
            #expect(request.method == method && request.path == "/orders?page=2")
            #expect(request.authority == "api.example.com" && request.scheme == "https")
            #expect(try await verifier.verify(request).userID == client.profile?.userID)
        }
    }

    @Test("A bound token needs its proof, and each proof is valid once")
    func bound() async throws {
        let service = try await TestService(bindsAccessTokens: true)
        let verifier = try verifier(of: service)
        var request = try await service.request(to: Self.orders, as: try await service.signedIn())
        _ = try await verifier.verify(request)
        #expect(try await refusal { try await verifier.verify(request) } == .replayedProof)
        request.headerFields[try #require(HTTPField.Name("DPoP"))] = nil
        #expect(try await refusal { try await verifier.verify(request) } == .missingProof)
    }

    @Test("The backend requires a step-up, and accepts a token with the scope")
    func stepUp() async throws {
        let service = try await TestService()
        try await service.allow(scope: "transfer:write", steps: [], grantMode: .sessionBound)
        let client = try await service.signedIn()
        let verifier = try verifier(of: service)
        let before = try await verifier.verify(try await client.refresh().accessToken)
        #expect(throws: VerificationError.self) { try before.require(stepUp: "transfer:write") }
        _ = try await client.requestStepUp(scope: "transfer:write")
        let after = try await verifier.verify(try await client.refresh().accessToken)
        try after.require(stepUp: "transfer:write")
    }

    @Test("An expired token is rejected, and the next one is accepted")
    func expired() async throws {
        let service = try await TestService(accessTokenLifetime: .seconds(60))
        let client = try await service.signedIn()
        let verifier = try verifier(of: service)
        let token = try await client.refresh().accessToken
        // The verifier allows a leeway of 5 seconds.
        service.clock.advance(by: .seconds(64))
        _ = try await verifier.verify(token)
        service.clock.advance(by: .seconds(1))
        #expect(try await refusal { try await verifier.verify(token) } == .expired)
        _ = try await verifier.verify(try await client.refresh().accessToken)
    }

    @Test("The backend accepts tokens of the old and the new key during a rotation")
    func rotation() async throws {
        let service = try await TestService(accessTokenLifetime: .seconds(900))
        let client = try await service.signedIn()
        let verifier = try verifier(of: service)
        let old = try await client.refresh().accessToken
        _ = try await verifier.verify(old)
        try await service.rotateSigningKey()
        service.clock.advance(by: .seconds(395))
        try await client.invalidateSession()
        let new = try await client.refresh().accessToken
        #expect(try keyID(of: new) != keyID(of: old))
        for token in [new, old] { _ = try await verifier.verify(token) }
    }

    @Test("Tokens of a leaked key are rejected after the backend has fetched the new key")
    func leak() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        let verifier = try verifier(of: service)
        let old = try await client.refresh().accessToken
        _ = try await verifier.verify(old)
        try await service.rotateSigningKey(emergency: true)
        try await client.invalidateSession()
        let new = try await client.refresh().accessToken
        // The minimum time between two fetches of the keys.
        service.clock.advance(by: .seconds(30))
        _ = try await verifier.verify(new)
        #expect(try await refusal { try await verifier.verify(old) } == .unknownKey)
    }

    @Test("A token of another service is rejected")
    func otherService() async throws {
        let (service, other) = (try await TestService(), try await TestService())
        let token = try await other.signedIn().refresh().accessToken
        let verifier = try verifier(of: service)
        #expect(try await refusal { try await verifier.verify(token) } == .unknownKey)
    }

    @Test("An invalid URL is reported", arguments: ["", "api", "https://"])
    func noURL(text: String) async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        await #expect(throws: TestServiceError.self) { _ = try await service.request(to: text, as: client) }
    }

    private func keyID(of token: String) throws -> String {
        struct Header: Decodable { let kid: String }
        var text = String(try #require(token.split(separator: ".").first))
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        let data = try #require(
            Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/")))
        return try JSONDecoder().decode(Header.self, from: data).kid
    }
}
