import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import PreludeSessionVerifier
import SessionDomain
import SessionTokens
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The real service, SDK and verifier together.
@Suite("An app calls a backend that verifies", .eachStore)
struct BackendStory {
    private static let secret = Data(repeating: 7, count: 32)
    private let request = URLRequest(url: URL(string: VerifyingBackend.url) ?? URL(fileURLWithPath: "/"))

    @Test(
        "A backend knows the user by a bearer or bound token, with every signature algorithm",
        arguments: [SessionPolicy.AccessTokenBinding.bearer, .dpop], [SignatureAlgorithm.edDSA, .es256, .rs256])
    func letIn(_ binding: SessionPolicy.AccessTokenBinding, _ algorithm: SignatureAlgorithm) async throws {
        let world = try await ServiceWorld {
            $0.sessions.accessTokenBinding = binding
            $0.signingAlgorithm = algorithm
        }
        let backend = try VerifyingBackend(world)
        let client = try await world.signedIn()
        let (body, response) = try await client.data(for: request)
        #expect(response.statusCode == 200)
        #expect(String(decoding: body, as: UTF8.self) == (await client.profile)?.userID)
        #expect(await backend.requests.count == 1)
    }

    @Test("A stolen token is rejected, with its proof and without")
    func stolen() async throws {
        let world = try await ServiceWorld { $0.sessions.accessTokenBinding = .dpop }
        let backend = try VerifyingBackend(world)
        let client = try await world.signedIn()
        _ = try await client.data(for: request)
        let seen = try #require(await backend.requests.first).request
        func answer(_ change: (inout HTTPRequest) -> Void) async -> String {
            var stolen = seen
            change(&stolen)
            return String(decoding: await backend.respond(to: stolen).1, as: UTF8.self)
        }
        let token = try #require(await client.accessToken)
        #expect(await answer { _ in } == "replayed_proof")
        #expect(await answer { $0.headerFields[.authorization] = "Bearer \(token)" } == "bound_token")
        #expect(await answer { $0.path = "/transfers" } == "wrong_target")
        #expect(await answer { $0.method = .delete } == "wrong_method")
    }

    @Test("The client learns the backend's nonce with one extra request")
    func nonces() async throws {
        let world = try await ServiceWorld { $0.sessions.accessTokenBinding = .dpop }
        let backend = try VerifyingBackend(world, nonces: .always(secret: Self.secret))
        let client = try await world.signedIn()
        for _ in 1...2 { #expect(try await client.data(for: request).1.statusCode == 200) }
        #expect(await backend.requests.map(\.status) == [401, 200, 200])
    }

    @Test(
        "A device whose clock is wrong by minutes or years can call the backend",
        arguments: [-900.0, 900, -320_000_000, 320_000_000])
    func wrongClock(_ error: Double) async throws {
        let world = try await ServiceWorld { $0.sessions.accessTokenBinding = .dpop }
        _ = try VerifyingBackend(world)
        let client = try await world.signedIn(clockSkew: error)
        #expect(try await client.data(for: request).1.statusCode == 200)
    }

    @Test("A backend whose clock is behind accepts a new token without leeway", arguments: [0, -1, -29, -30])
    func backendBehind(_ clockSkew: Int) async throws {
        let world = try await ServiceWorld()
        let backend = try VerifyingBackend(world, clockSkew: clockSkew, leeway: 0)
        let client = try await world.signedIn()
        #expect(try await client.data(for: request).1.statusCode == 200)
        #expect(await backend.requests.map(\.status) == [200])
    }

    @Test("A call that needs a step-up is rejected with the scope, and succeeds after the step-up")
    func stepUp() async throws {
        let world = try await ServiceWorld { $0.sessions.accessTokenBinding = .dpop }
        try await world.allow("transfer:write", mode: "session-bound")
        let backend = try VerifyingBackend(world, stepUp: "transfer:write")
        let client = try await world.signedIn()
        let refused = try await client.data(for: request).1
        #expect(refused.statusCode == 401)
        #expect(refused.value(forHTTPHeaderField: "WWW-Authenticate")?.contains(#"scope="transfer:write""#) == true)
        let (_, response) = try await client.data(for: request) { _, _ in .code(try world.code(for: "ada@example.com"))
        }
        #expect(response.statusCode == 200)
        #expect(await backend.requests.map(\.status) == [401, 401, 200])
    }

    @Test(
        "The client refreshes when the backend requires a recent token, and a revoked session cannot",
        arguments: [SessionPolicy.AccessTokenBinding.bearer, .dpop])
    func youngToken(_ binding: SessionPolicy.AccessTokenBinding) async throws {
        let world = try await ServiceWorld { $0.sessions.accessTokenBinding = binding }
        let backend = try VerifyingBackend(world, greatestAge: 30)
        let client = try await world.signedIn()
        world.clock.advance(seconds: 31)
        #expect(try await client.data(for: request).1.statusCode == 200)
        #expect(await backend.requests.map(\.status) == [401, 200])

        let other = try await world.signedIn()
        _ = try await other.revokeSessions(.others)
        #expect(try await client.data(for: request).1.statusCode == 200, "while the token is recent")
        world.clock.advance(seconds: 31)
        let error = await #expect(throws: PreludeSessionError.self) { try await client.data(for: request) }
        #expect(error.map(isUnauthorized) == true)
    }

    @Test("An emergency rotation of the keys costs a refresh and does not fail the call")
    func emergency() async throws {
        let world = try await ServiceWorld()
        let backend = try VerifyingBackend(world)
        let client = try await world.signedIn()
        #expect(try await client.data(for: request).1.statusCode == 200)
        try await world.service.signingKeys.rotate(.access, of: world.appID, reason: .emergency)
        // The backend fetches the new key when its key set expires, or earlier, when a token names an unknown key.
        world.clock.advance(seconds: 270)
        #expect(try await client.data(for: request).1.statusCode == 200)
        #expect(await backend.requests.map(\.status) == [200, 200])
    }
}
