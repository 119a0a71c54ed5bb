import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Headers of every response")
struct ResponseHeadersTests {
    @Test(
        "Every response has an id, the date and the cache rule",
        arguments: [
            ("/health", 200), ("/.well-known/jwks.json", 200),
            ("/.well-known/oauth-authorization-server", 200), ("/v1/session/me/list", 401), ("/nothing", 404),
        ])
    func always(path: String, status: Int) async throws {
        let world = try await EdgeWorld.shared.value
        let response = try await world.call(.get, path)
        #expect(response.status == status)
        #expect(response.header("x-request-id")?.hasPrefix("req_") == true)
        #expect(response.header("date") == HTTPDate.format(world.clock.timestamp))
        #expect(response.header("x-content-type-options") == "nosniff")
        let isCached = path.hasPrefix("/.well-known/")
        #expect(response.header("cache-control") == (isCached ? "public, max-age=300" : "no-store"))
    }

    @Test("Each request has an id of its own")
    func ids() async throws {
        let world = try await EdgeWorld.shared.value
        let first = try await world.call(.get, "/health").header("x-request-id")
        #expect(try await world.call(.get, "/health").header("x-request-id") != first)
    }

    @Test("The id of a request is not taken from the client")
    func forgedID() async throws {
        let response = try await EdgeWorld.shared.value.call(.get, "/health", .of(("x-request-id", "forged")))
        #expect(response.header("x-request-id") != "forged")
    }
}
