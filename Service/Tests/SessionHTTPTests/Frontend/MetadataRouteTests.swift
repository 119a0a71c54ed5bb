import Foundation
import HTTPTypes
import SessionTokens
import SessionWire
import Testing

@Suite("Authorization server metadata")
struct MetadataRouteTests {
    private static let path = FrontendPath.metadata.rawValue

    // Proves: K9
    @Test("The metadata has the main origin, the key set and the algorithm of proofs, and nothing else (RFC 8414 §2)")
    func members() async throws {
        let world = try await EdgeWorld()
        let response = try await world.call(.get, Self.path)
        #expect(response.status == 200)
        #expect(response.header("content-type")?.hasPrefix("application/json") == true)
        let members = try TokenJSON.decode([String: JSONValue].self, from: Data(response.text.utf8))
        let origin = "https://testapp.session.test"
        #expect(
            members == [
                "issuer": .string(origin), "jwks_uri": .string(origin + FrontendPath.jwks.rawValue),
                "dpop_signing_alg_values_supported": .array(["ES256"]),
            ])
    }

    // Proves: K9
    @Test("Every host of an app gets the issuer of the first domain, whose host is the iss of tokens (RFC 8414 §3.3)")
    func domain() async throws {
        let world = try await EdgeWorld.shared.value
        for host in ["testapp.session.test", "login.customer.example"] {
            let response = try await world.call(.get, Self.path, host: host)
            let members = try TokenJSON.decode([String: JSONValue].self, from: Data(response.text.utf8))
            #expect(members["issuer"] == "https://login.customer.example")
        }
    }

    @Test("Clients may cache the metadata as long as a key set, and pages of allowed origins may read it")
    func headers() async throws {
        let world = try await EdgeWorld.shared.value
        let response = try await world.call(.get, Self.path, .of(("origin", EdgeWorld.allowedOrigin)))
        let keySet = try await world.call(.get, FrontendPath.jwks.rawValue)
        #expect(response.header("cache-control") == keySet.header("cache-control"))
        #expect(response.header("access-control-allow-origin") == EdgeWorld.allowedOrigin)
        #expect(response.header("vary")?.contains("Origin") == true)
    }

    @Test(
        "An issuer has no path, so there is no metadata for one (RFC 8414 §3.1)",
        arguments: ["/tenant", "/testapp"])
    func issuerWithPath(_ path: String) async throws {
        let world = try await EdgeWorld.shared.value
        #expect(try await world.call(.get, Self.path + path).status == 404)
        #expect(try await world.call(.get, path + Self.path).status == 404)
    }

    @Test("A host that names no app has no metadata")
    func unknownHost() async throws {
        #expect(try await EdgeWorld.shared.value.call(.get, Self.path, host: "unknown.session.test").status == 404)
    }
}
